"""A real language-model server for tests: llama.cpp on loopback, and a model of half a megabyte.

``make_tiny_gguf`` writes a llama with random weights, whose tokens are single characters;
``serve_gguf`` serves that, or any other GGUF file, over an OpenAI-compatible API, in a process
of its own. The random model talks nonsense, repeatably: it proves the plumbing, not a judge's
worth. Both need the packages ``gguf`` and ``xllamacpp``, which the extra ``dev`` brings.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlverdict.errors import MissingExtra, SqlverdictError
from timeouts import HANG_SECONDS

_WIDTH, _LAYERS, _HEADS, _INNER, _CONTEXT = 64, 2, 4, 128, 65_536
_UNKNOWN, _CONTROL, _NORMAL, _BYTE = 2, 3, 1, 6
_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n"
    "{% endfor %}assistant: "
)
_KEY_VARIABLE = "SQLVERDICT_TINY_LLM_KEY"


@dataclass(frozen=True)
class LlmServer:
    """A running server: its address for clients, its model's name, its process."""

    base_url: str
    model: str
    pid: int


def make_tiny_gguf(path: Path, seed: int = 0) -> Path:
    """Write a random model; the same seed, the same model.

    Raises:
        MissingExtra: ``gguf`` is not installed.
    """
    try:
        import gguf
        import numpy as np
    except ImportError:
        raise MissingExtra("writing a GGUF model", "dev") from None
    random = np.random.default_rng(seed)
    tokens, kinds = _vocabulary()
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(_TEMPLATE)

    def weights(rows: int, columns: int) -> np.ndarray:
        return random.normal(0.0, 0.3, (rows, columns)).astype(np.float32)

    writer.add_tensor("token_embd.weight", weights(len(tokens), _WIDTH))
    output = weights(len(tokens), _WIDTH)
    # Raw bytes are for reading only: with flat scores they are hardly ever written.
    output[[kind in (_UNKNOWN, _BYTE) for kind in kinds]] = 0.0
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", np.ones(_WIDTH, np.float32))
    for layer in range(_LAYERS):
        block = f"blk.{layer}"
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{block}.{norm}.weight", np.ones(_WIDTH, np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{block}.{part}.weight", weights(_WIDTH, _WIDTH))
        for part in ("ffn_gate", "ffn_up"):
            writer.add_tensor(f"{block}.{part}.weight", weights(_INNER, _WIDTH))
        writer.add_tensor(f"{block}.ffn_down.weight", weights(_WIDTH, _INNER))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _vocabulary() -> tuple[list[bytes], list[int]]:
    """Three control tokens, every byte, every printable character, and the space's stand-in."""
    letters = [bytes([code]) for code in range(33, 127)]
    tokens = [b"<unk>", b"<s>", b"</s>"]
    tokens += [f"<0x{code:02X}>".encode() for code in range(256)]
    tokens += [*letters, "\N{LOWER ONE EIGHTH BLOCK}".encode()]
    kinds = [_UNKNOWN, _CONTROL, _CONTROL] + [_BYTE] * 256 + [_NORMAL] * (len(letters) + 1)
    return tokens, kinds


@contextmanager
def serve_gguf(
    path: Path,
    *,
    model: str = "tiny",
    context: int = 16_384,
    parallel: int = 2,
    threads: int = 1,
    key: str = "",
    start_limit: float = 120.0,
) -> Iterator[LlmServer]:
    """Serve a model on loopback while the block runs.

    Args:
        path: The GGUF file.
        model: The name the server gives it.
        context: Tokens a conversation may have, prompt and reply together.
        parallel: How many conversations at once.
        threads: How many threads compute.
        key: A key that clients must send; none where empty.
        start_limit: Seconds the server may take to start.

    Raises:
        MissingExtra: ``xllamacpp`` is not installed.
        SqlverdictError: the server did not start.
    """
    from importlib.util import find_spec

    if find_spec("xllamacpp") is None:
        raise MissingExtra("serving a GGUF model", "dev")
    options = _ServerOptions(str(path), model, context, parallel, threads)
    # A module of its own process: a crash of native code must not take the caller along. The
    # server lives as long as its input is open, so that even a killed caller leaves none behind.
    process = subprocess.Popen(
        [sys.executable, __file__, json.dumps(asdict(options))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, _KEY_VARIABLE: key},
    )
    try:
        address = _first_line(process, start_limit)
        yield LlmServer(f"{address}/v1", model, process.pid)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@dataclass(frozen=True)
class _ServerOptions:
    """What the server's process is told, its key apart: others can read a command line."""

    path: str
    model: str
    context: int
    parallel: int
    threads: int


def _first_line(process: subprocess.Popen[bytes], limit: float) -> str:
    """The address that the server's process writes once it listens."""
    from threading import Timer

    assert process.stdout is not None
    watch = Timer(limit, process.kill)
    watch.start()
    try:
        line = process.stdout.readline().decode().strip()
    finally:
        watch.cancel()
    if not line.startswith("http"):
        process.wait(HANG_SECONDS)
        raise SqlverdictError(
            f"the model server ended with status {process.returncode} before it listened; check "
            "that the file is a GGUF model and that the memory suffices"
        )
    return line


def _serve(options: _ServerOptions) -> None:
    """Serve until the input ends."""
    import xllamacpp  # type: ignore[import-untyped,import-not-found,unused-ignore]

    params = xllamacpp.CommonParams()
    params.model.path = options.path
    params.model_alias = {options.model}
    params.n_ctx = options.context * options.parallel
    params.n_parallel = options.parallel
    params.n_batch = params.n_ubatch = 512
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.warmup = False
    params.ui = False
    key = os.environ.pop(_KEY_VARIABLE, "")
    if key:
        params.api_keys = [key]
    server = xllamacpp.Server(params)
    # Whatever native code writes to stdout later must not reach the pipe, which nobody reads.
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.stdin.read()
    # Native threads may still compute; nothing here needs an orderly farewell.
    os._exit(0)


if __name__ == "__main__":
    _serve(_ServerOptions(**json.loads(sys.argv[1])))
