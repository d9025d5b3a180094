"""A language model of two random layers in the format that vLLM loads: its words are noise, its protocol is real.

`python tests/peers/tiny_model.py FOLDER` writes it: a Qwen2 of hidden size 128, a byte-level BPE of up to 2,048 tokens
trained on the licence's text, and a chat template. The same every time. It never ends a text of its own accord.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

VOCABULARY = 2048
CONTEXT_TOKENS = 32768  # an answer of that length outlasts the server's hearing of a caller who left, on busy cores too
END = "<|im_end|>"
SPECIAL = ["<|endoftext|>", "<|im_start|>", END]
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tiny_model(folder: Path) -> None:
    """Model and tokenizer into `folder`, unless they are there with this window."""
    if _window(folder) == CONTEXT_TOKENS:
        return
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    tokenizer = _tokenizer()
    tokenizer.save_pretrained(folder)
    end = tokenizer.convert_tokens_to_ids(END)
    torch.manual_seed(20260101)
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer),
            hidden_size=128,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=CONTEXT_TOKENS,
            initializer_range=0.3,  # less, and it says one word again and again
            tie_word_embeddings=False,
            eos_token_id=end,
        )
    )
    with torch.no_grad():
        model.lm_head.weight[end] = 0  # never the most likely one
    model.save_pretrained(folder)


def _window(folder: Path) -> int:
    if not (folder / "model.safetensors").exists():
        return 0
    config: dict[str, Any] = json.loads((folder / "config.json").read_bytes())
    return int(config["max_position_embeddings"])


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train([str(Path(__file__).parents[2] / "LICENSE")], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=END, pad_token=SPECIAL[0], chat_template=CHAT_TEMPLATE
    )


if __name__ == "__main__":
    write_tiny_model(Path(sys.argv[1]))
