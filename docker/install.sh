#!/usr/bin/env bash
# The steps of docker/Dockerfile. `install.sh tools`: what builds, and the wheels of our packages. `install.sh IMAGE`: what
# that image holds (requirements/images.json) into /opt/trivium, from the locks, checked by hash, compiled once: who runs
# cannot write, and would compile every module at each start.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=/opt/tools
uv() { "$tools/bin/uv" "$@"; }
export UV_LINK_MODE=copy

if [ "$1" = tools ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --require-hashes -r requirements/image-tools.txt
    for package in libs/* services/*; do
        [ ! -f "$package/pyproject.toml" ] || uv build --quiet --wheel --no-build-isolation --python "$tools/bin/python" --out-dir dist "$package"
    done
    exit
fi

image=$1
requirements=$(mktemp)
python3 requirements/image_requirements.py "$image" >"$requirements"
packages=$(python3 requirements/image_requirements.py "$image" --packages)
python3 -m venv --without-pip /opt/trivium
add() { uv pip install --quiet --python /opt/trivium/bin/python --no-deps --only-binary :all: "$@"; }
add --require-hashes -r "$requirements"
for package in $packages; do add "dist/${package//-/_}-"[0-9]*.whl; done
# The tests of libraries, by name: what else is called so may be imported.
site=/opt/trivium/lib/python3.11/site-packages
rm -rf "$site"/{Crypto/SelfTest,Cryptodome/SelfTest,youtube_transcript_api/test,pint/testsuite} "$site"/numpy/{fft,lib,linalg,ma,polynomial,random}/tests "$site"/numpy/_core/include
case $image in
    inference* | trivium)  # libraries of models compile by headers, and import much when they are asked
        "$tools/bin/python" -m compileall -q -j 2 -x 'olefile2|torch/testing/_internal' --invalidation-mode unchecked-hash /opt/trivium/lib ;;
    *)  # also without what compilers, editors and debuggers read, and without optional parts of libraries that nothing here asks for
        rm -rf "$site"/numpy/{f2py,distutils} "$site"/lxml/{includes,isoschematron,objectify.*} "$site"/PIL/_{avif,imagingft,imagingtk}.* \
            "$site"/pillow.libs/lib{avif,freetype,harfbuzz,brotli}*
        find "$site" -regex '.*\.\(pyi\|pyx\|pxd\|pxi\|h\|hpp\|c\|cpp\|a\)' -delete
        find "$site"/numpy -type d -name tests -prune -exec rm -rf {} +
        /opt/trivium/bin/python requirements/strip_libraries.py
        /opt/trivium/bin/python requirements/compile_imported.py ;;
esac
mkdir -p /opt/trivium/share/trivium
"$tools/bin/cyclonedx-py" environment --output-reproducible --mc-type application --of JSON \
    -o /opt/trivium/share/trivium/sbom.cdx.json /opt/trivium/bin/python
cp LICENSE /opt/trivium/share/trivium/
