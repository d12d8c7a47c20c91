"""Facts about the programs, read from their sources."""

import re
from pathlib import Path

SERVICES = ("auth", "plan", "wallet", "coupon", "notification", "acceptor")
# Each with the sources of its configuration in addition to kit's.
FOLDERS = {name: Path("services", name, "src") for name in SERVICES}
FOLDERS |= {"gateway": Path("gateway/src"), "adfolioctl": Path("services/ctl/src")}
KIT = Path("services/kit/src")


def text_of(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*.rs")))


def variables(program: str) -> set[str]:
    """The variables of a program's configuration."""
    return set(re.findall(r'\benv = "([A-Z0-9_]+)"', text_of(FOLDERS[program]) + text_of(KIT)))


def peers(program: str) -> set[str]:
    """The services whose addresses it needs."""
    wanted = re.findall(r'\benv = "([A-Z]+)_URL"', text_of(FOLDERS[program]))
    return {name.lower() for name in wanted if name.lower() in SERVICES}


def default_of(variable: str) -> int:
    pattern = rf'env = "{variable}", default_value_t = ([0-9_]+)'
    (value,) = set(re.findall(pattern, text_of(KIT) + text_of(FOLDERS["gateway"])))
    return int(value)


def constant(path: str, name: str) -> int:
    """An integer constant, possibly a product."""
    (value,) = re.findall(rf"const {name}: \w+ = ([0-9_ *]+);", Path(path).read_text())
    product = 1
    for factor in value.split("*"):
        product *= int(factor)
    return product


def callers() -> tuple[set[str], set[tuple[str, str]]]:
    """All callers, and which of them may call a method of which service, from kit::policy."""
    text = (KIT / "policy.rs").read_text()
    names = dict(re.findall(r'pub const ([A-Z]+): &str = "([a-z]+)";', text))
    groups = {
        group: [names[name] for name in members.split(", ")]
        for group, members in re.findall(r"const ([A-Z_]+): &\[&str\] = &\[([A-Z, ]+)\];", text)
    }
    edges = set()
    for block in re.split(r"ServicePolicy \{\s+service: ", text)[1:]:
        (callee,) = re.findall(r'^"adfolio\.([a-z]+)\.v1\.', block)
        for _, listed, group in re.findall(r'\(\s*"(\w+)",\s*(?:&\[([A-Z, ]+)\]|([A-Z_]+)),?\s*\)', block):
            members = groups[group] if group else [names[name] for name in listed.split(", ")]
            edges |= {(caller, callee) for caller in members}
    return set(names.values()) | set(SERVICES), edges


def methods_counted() -> int:
    """The number of methods that `callers` finds, so that a change of syntax cannot hide any."""
    text = (KIT / "policy.rs").read_text()
    return len(re.findall(r'\(\s*"(\w+)",\s*(?:&\[([A-Z, ]+)\]|([A-Z_]+)),?\s*\)', text))


def methods_of_contract() -> int:
    return sum(len(re.findall(r"^\s*rpc ", path.read_text(), re.M)) for path in Path("proto/adfolio").rglob("*.proto"))


def consumers() -> set[tuple[str, str]]:
    text = (KIT / "consumer/mod.rs").read_text()
    listed = text[text.index("const CONSUMERS") : text.index("];", text.index("const CONSUMERS"))]
    return set(re.findall(r'\("([a-z]+)", "([a-z]+)"\)', listed))


def queue(service: str, consumer: str) -> str:
    (generation,) = re.findall(r"const GENERATION: u32 = (\d+);", Path("services/kit/src/broker/topology.rs").read_text())
    return f"adfolio.{service}.{consumer}.{generation}"


def nginx_variables() -> set[str]:
    return set(re.findall(r"\$\{(NGINX_[A-Z_]+)\}", Path("deploy/nginx/nginx.conf.template").read_text()))


def version() -> str:
    (value,) = re.findall(r'^version = "([0-9.]+)"$', Path("Cargo.toml").read_text(), re.M)
    return value
