#!/usr/bin/env bash
# `make sbom`: writes the SBOM of every shipped program and of the web client as CycloneDX documents into the folder
# `sbom` of the target folder. check.py checks that they are valid and complete.
# shellcheck source=deploy/local/lib.sh
. "$(dirname "$0")/../lib.sh"

# Pinned, as in deny.sh.
version=0.5.9
programs=(adfolio-{acceptor,auth,coupon,gateway,notification,plan,wallet} adfolioctl)

# The tool writes a file beside every manifest of the workspace, also for test programs.
written() { find deploy gateway services -name '*_bin.cdx.json' "$@"; }
trap 'written -delete' EXIT

need_toolchain
install_web
rust=$(cargo_tool cargo-cyclonedx "$version")
node=$(node_tool sbom-node deploy/local/sbom)
python=$(python_tool sbom-python deploy/local/sbom/requirements.txt)
folder=$(target_folder)/sbom
rm -rf "$folder"
mkdir -p "$folder"
"$rust/cargo-cyclonedx" cyclonedx --format json --spec-version 1.5 --describe binaries --no-build-deps -qq
for program in "${programs[@]}"; do
    written -name "${program}_bin.*" -exec mv {} "$folder/$program.cdx.json" ';'
done
# npm's own `sbom --omit dev` also omits packages that development packages need, such as React.
"$node/cyclonedx-npm" --omit dev --spec-version 1.5 --mc-type application --ignore-npm-errors \
    --output-file "$folder/web.cdx.json" web/package.json
"$python/python" deploy/local/sbom/check.py "$folder" "${programs[@]}"
