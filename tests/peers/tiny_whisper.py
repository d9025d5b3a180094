"""A Whisper of two random layers in CTranslate2's format: what it hears is noise, its files and protocol are real.

Vocabulary and special tokens are numbered as in the published multilingual models.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

TEXT_TOKENS = 50257
TIMESTAMPS = 1501
ENDING = 0.7
MULTILINGUAL = ""  # the empty token, by which the library tells the published multilingual models from the English ones
END, START = "<|endoftext|>", "<|startoftranscript|>"
TASKS = ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]


def write_tiny_whisper(folder: Path) -> None:
    """model.bin, config.json, vocabulary.json and tokenizer.json into `folder`."""
    import torch
    from ctranslate2.converters import TransformersConverter
    from faster_whisper import tokenizer as known
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    languages = [f"<|{code}|>" for code in known._LANGUAGE_CODES]
    special = [END, START, *languages, *TASKS]
    tokenizer = _tokenizer(special)
    config = WhisperConfig(
        vocab_size=TEXT_TOKENS + len(special) + TIMESTAMPS,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        init_std=0.5,
        bos_token_id=TEXT_TOKENS,
        eos_token_id=TEXT_TOKENS,
        pad_token_id=TEXT_TOKENS,
        decoder_start_token_id=TEXT_TOKENS + 1,
    )
    torch.manual_seed(20260101)
    with tempfile.TemporaryDirectory() as source:
        model = WhisperForConditionalGeneration(config)
        model.generation_config.suppress_tokens = []
        model.generation_config.begin_suppress_tokens = [TEXT_TOKENS]
        with torch.no_grad():  # so that it ends what it says after a few words
            bias = model.model.decoder.layer_norm.bias
            bias[:] = 1
            model.model.decoder.embed_tokens.weight[TEXT_TOKENS] = ENDING
        model.save_pretrained(source)
        tokenizer.save_pretrained(source)
        TransformersConverter(source, copy_files=["tokenizer.json"]).convert(str(folder), force=True)
    written = folder / "config.json"
    first = TEXT_TOKENS + 2
    lang_ids = list(range(first, first + len(languages)))
    written.write_text(json.dumps(json.loads(written.read_text()) | {"lang_ids": lang_ids}))


def _tokenizer(special: list[str]) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [*alphabet, *(f"Ġword{number}" for number in range(TEXT_TOKENS - len(alphabet) - 1)), MULTILINGUAL]
    made = Tokenizer(models.BPE({word: number for number, word in enumerate(words)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, special=True) for token in special])
    return PreTrainedTokenizerFast(tokenizer_object=made, additional_special_tokens=special)
