"""Checks that alerts, their tests, the runbook, the dashboards and the metrics of the programs are consistent.

Run by check.sh from the top of the repository. Prints one line per problem and then exits with 1.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path("deploy/observability")
RUNBOOK = Path("docs/runbook.md")
SEVERITIES = {"page", "ticket"}
# The parts of a runbook entry, in order. "Do not" is optional.
PARTS = ("**Means:**", "**Check:**", "**Do:**", "**Resolved:**")
# Metrics of others: Prometheus itself, the exporters of RabbitMQ and CloudNativePG, the collector, and the library that reports on the process;
# services/kit/tests/it/metrics.rs checks the last.
EXTERNAL = re.compile(
    r"process_(resident_memory_bytes|cpu_seconds_total|open_fds|max_fds|start_time_seconds)"
    r"|up|ALERTS|prometheus_rule_evaluation_failures_total|otelcol_exporter_(sent|send_failed)_spans(_total)?"
    r"|rabbitmq_(alarms_(free_disk_space|memory_used)_watermark|disk_space_available(_limit)?_bytes"
    r"|process_resident_memory_bytes|resident_memory_limit_bytes|connections"
    r"|detailed_queue_(messages|messages_ready|messages_unacked|consumers))"
    r"|cnpg_pg_replication_(streaming_replicas|lag)"
)
# Labels whose values are not literals in the programs: gRPC's and HTTP's own, numbers, places, labels of Prometheus
# and RabbitMQ.
FREE_LABELS = {"code", "status", "method", "route", "le", "instance", "job", "service", "queue", "vhost"}
KEYWORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan", "atan2"}
GRID_COLUMNS = 24

problems: list[str] = []


def complain(where, what):
    problems.append(f"{where}: {what}")


# --- PromQL -----------------------------------------------------------------------------------------------------------


def selectors(expression):
    """The metrics that an expression reads, each with its matchers as (label, value)."""
    texts: list[str] = []

    def keep(match):
        texts.append(match.group(0)[1:-1])
        return f'"{len(texts) - 1}"'

    plain = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', keep, expression)
    plain = re.sub(r"\[[^\]]*\]|\boffset\s+\w+", " ", plain)
    plain = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", plain)
    for match in re.finditer(r"(?<![\w.:\"$])([A-Za-z_:][\w:]*)\s*(\{[^}]*\})?(?!\s*\(|[\w:])", plain):
        name, matchers = match.groups()
        if name in KEYWORDS:
            continue
        pairs = re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"(\d+)\"", matchers or "")
        yield name, [(label, texts[int(place)]) for label, place in pairs]


def literals():
    """Every quoted text in the programs' sources, without their tests."""
    found = set()
    for root in ("services", "gateway"):
        for path in Path(root).rglob("*.rs"):
            if not {"tests", "target", "examples"} & set(path.parts):
                found.update(re.findall(r'"([A-Za-z][\w.]*)"', path.read_text(encoding="utf-8")))
    return found


def check_expression(where, expression, known, recorded):
    for name, matchers in selectors(expression):
        if EXTERNAL.fullmatch(name):
            continue
        if name not in recorded and name not in known and re.sub(r"_(bucket|sum|count)$", "", name) not in known:
            complain(where, f"no program has the metric {name}")
        for label, value in matchers:
            if label not in FREE_LABELS and re.fullmatch(r"[\w|.]+", value):
                for missing in set(value.split("|")) - known:
                    complain(where, f"no program has the label {label}={missing!r} (of {name})")


# --- alerts, their tests, the runbook ---------------------------------------------------------------------------------


def rules():
    for path in sorted((HERE / "prometheus/rules").glob("*.yml")):
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]:
            yield from group["rules"]


def check_alert(rule, expectations, entries):
    name = rule["alert"]
    annotations = rule.get("annotations", {})
    if rule.get("labels", {}).get("severity") not in SEVERITIES:
        complain(name, f"severity must be one of {sorted(SEVERITIES)}")
    for part in ("summary", "description"):
        if not annotations.get(part):
            complain(name, f"has no {part}")
    if annotations.get("runbook_url") != f"{RUNBOOK}#{name.lower()}":
        complain(name, f"runbook_url must be {RUNBOOK}#{name.lower()}")
    if name not in entries:
        complain(name, f"has no entry in {RUNBOOK}")
    seen = expectations.get(name, [])
    states = {labels.get("alertstate") for samples in seen for labels in samples}
    if "firing" not in states:
        complain(name, "no test sees it fire")
    if [] not in seen:
        complain(name, "no test sees it silent")
    if "for" in rule and "pending" not in states:
        complain(name, "no test sees it pending for its `for`")
    shown = set(re.findall(r"\$labels\.(\w+)", " ".join(annotations.values())))
    firing = [labels for samples in seen for labels in samples if labels.get("alertstate") == "firing"]
    for label in shown - {"service"}:
        if firing and not all(label in labels for labels in firing):
            complain(name, f"shows the label {label}, which it lacks when it fires")


def expectations_of_tests():
    """The expectations of the tests by alert, each a list of label sets."""
    found: dict[str, list[list[dict[str, str]]]] = {}
    for path in sorted((HERE / "prometheus/tests").glob("*.yml")):
        for test in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]:
            for case in test.get("promql_expr_test", []):
                match = re.fullmatch(r'ALERTS\{alertname="(\w+)"\}', case["expr"])
                if not match or match[1] != test["name"]:
                    complain(path, f"{test['name']} queries something else: {case['expr']}")
                    continue
                samples = [dict(re.findall(r'(\w+)="([^"]*)"', sample["labels"])) for sample in case["exp_samples"]]
                found.setdefault(match[1], []).append(samples)
    return found


def runbook_entries():
    entries = {}
    for part in re.split(r"^### ", RUNBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        if title in entries:
            complain(RUNBOOK, f"has {title} twice")
        entries[title] = re.split(r"^## ", text, flags=re.MULTILINE)[0]
    return entries


def check_alerts(known):
    alerts = [rule for rule in rules() if "alert" in rule]
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    names = {rule["alert"] for rule in alerts}
    expectations, entries = expectations_of_tests(), runbook_entries()
    for rule in rules():
        check_expression(rule.get("alert") or rule["record"], rule["expr"], known, recorded)
    for rule in alerts:
        check_alert(rule, expectations, entries)
    for name in entries.keys() - names:
        complain(RUNBOOK, f"{name} is not an alert")
    for name in expectations.keys() - names:
        complain("tests", f"{name} is not an alert")
    for title, text in entries.items():
        places = [text.find(part) for part in PARTS]
        if -1 in places or places != sorted(places):
            complain(RUNBOOK, f"{title} must have {', '.join(PARTS)} in this order")
    return names, recorded


def command_modules():
    """The module of adfolioctl that implements each area, as its command line lists them; none of what is itself a command."""
    source = Path("services/ctl/src/cli.rs").read_text(encoding="utf-8")
    areas = re.findall(r"^    ([A-Z]\w*)\((?:Box<)?(\w+)::(\w+)", source, re.MULTILINE)
    return {area.lower(): module if kind.endswith("Command") else None for area, module, kind in areas}


def module_source(folder, module):
    """The source of a Rust module: a file of its name, or `mod.rs` in a folder of its name."""
    paths = [folder / f"{module}.rs", folder / module / "mod.rs"]
    return next(path for path in paths if path.exists()).read_text(encoding="utf-8")


def check_commands():
    """Checks that adfolioctl has the commands that the documentation names."""
    modules = command_modules()
    for path in sorted(Path("docs").glob("*.md")):
        code = "\n".join(re.findall(r"^ *```.*?^ *```|`[^`]+`", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
        for area, command in sorted(set(re.findall(r"\badfolioctl ([a-z-]+) ([a-z-]+)", code))):
            if area.replace("-", "") not in modules:
                complain(path, f"adfolioctl has no command {area}")
                continue
            module = modules[area.replace("-", "")]
            if not module:
                continue
            source = module_source(Path("services/ctl/src"), module)
            variant = "".join(word.capitalize() for word in command.split("-"))
            # A variant of the area's commands, alone or with its arguments.
            if not re.search(rf"^    {variant}\b[ ({{,]", source, re.MULTILINE):
                complain(path, f"adfolioctl has no command {area} {command}")


# --- dashboards -------------------------------------------------------------------------------------------------------


def check_panel(where, panel, alerts):
    if not panel.get("title"):
        complain(where, "has no title")
    if panel["type"] == "row":
        return
    for part in ("description", "targets"):
        if not panel.get(part):
            complain(where, f"has no {part}")
    if panel.get("datasource") != {"type": "prometheus", "uid": "prometheus"}:
        complain(where, "does not read the provisioned Prometheus")
    if panel["type"] != "table" and not panel.get("fieldConfig", {}).get("defaults", {}).get("unit"):
        complain(where, "has no unit")
    for name in re.findall(r"Runbook: ([\w, ]+)", panel.get("description", "")):
        for missing in set(name.split(", ")) - alerts:
            complain(where, f"names {missing}, which is not an alert")


def check_grid(where, panels):
    taken = {}
    for panel in panels:
        grid = panel["gridPos"]
        if grid["x"] + grid["w"] > GRID_COLUMNS:
            complain(where, f"{panel['title']!r} is wider than the dashboard")
        for x in range(grid["x"], grid["x"] + grid["w"]):
            for y in range(grid["y"], grid["y"] + grid["h"]):
                other = taken.setdefault((x, y), panel["title"])
                if other != panel["title"]:
                    complain(where, f"{panel['title']!r} overlaps {other!r}")
                    return


def check_dashboards(alerts, known, recorded):
    expressions, uids = [], []
    for path in sorted((HERE / "grafana/dashboards").glob("*.json")):
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        uids.append(dashboard["uid"])
        panels = dashboard["panels"]
        check_grid(path.name, panels)
        if len({panel["id"] for panel in panels}) != len(panels):
            complain(path.name, "two panels have the same id")
        for panel in panels:
            where = f"{path.name}, {panel.get('title')!r}"
            check_panel(where, panel, alerts)
            for target in panel.get("targets", []):
                check_expression(where, target["expr"], known, recorded)
                expressions.append((where, target["expr"]))
        for variable in dashboard.get("templating", {}).get("list", []):
            for name, _ in selectors(re.sub(r"^label_values\((.+), *\w+\)$", r"\1", variable["query"])):
                check_expression(f"{path.name}, ${variable['name']}", name, known, recorded)
    if len(set(uids)) != len(uids):
        complain("dashboards", "two have the same uid")
    check_promql(expressions)


def check_promql(expressions):
    """Checks the panels' expressions with promtool, as if they were rules."""
    variables = {"$__rate_interval": "5m", "$__range": "1h", "$service": "wallet", "$instance": ".+"}
    recorded = []
    for number, (_, expression) in enumerate(expressions):
        for name, value in variables.items():
            expression = expression.replace(name, value)
        recorded.append({"record": f"panel:{number}", "expr": expression})
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
        yaml.safe_dump({"groups": [{"name": "panels", "rules": recorded}]}, file)
        file.flush()
        done = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        for number in re.findall(r'"panel:(\d+)"', done.stdout + done.stderr) or [""]:
            complain(expressions[int(number)][0] if number else "panels", "promtool cannot read its expression")
        complain("promtool", (done.stdout + done.stderr).strip())


# --- scalers that query Prometheus ------------------------------------------------------------------------------------


def queries(value):
    """Every text under a key `query`, as in Kubernetes' scalers."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "query" and isinstance(inner, str):
                yield inner
            else:
                yield from queries(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from queries(inner)


def check_scalers(known, recorded):
    for path in sorted(Path("deploy").rglob("*.y*ml")):
        text = path.read_text(encoding="utf-8")
        if HERE in path.parents or not re.search(r"\bquery:", text):
            continue
        for document in yaml.safe_load_all(text):
            for query in queries(document):
                check_expression(path, query, known, recorded)


# --- the collector ----------------------------------------------------------------------------------------------------


def check_collector():
    config = yaml.safe_load((HERE / "collector.yaml").read_text(encoding="utf-8"))
    for name, pipeline in config["service"]["pipelines"].items():
        for kind in ("receivers", "processors", "exporters"):
            for missing in set(pipeline[kind]) - config[kind].keys():
                complain("collector.yaml", f"pipeline {name} uses {missing}, which is not among the {kind}")
    for missing in set(config["service"].get("extensions", [])) - config.get("extensions", {}).keys():
        complain("collector.yaml", f"uses the extension {missing}, which is not defined")


def main():
    known = literals() | set(os.environ.get("ADFOLIO_PENDING_METRICS", "").split())
    alerts, recorded = check_alerts(known)
    check_commands()
    check_dashboards(alerts, known, recorded)
    check_scalers(known, recorded)
    check_collector()
    for problem in dict.fromkeys(problems):
        print(problem, file=sys.stderr)
    print(f"{len(alerts)} alerts, {len(set(problems))} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
