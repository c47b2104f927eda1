"""What we compute is what the models of today compute, as transformers runs them."""

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import LlamaConfig
from transformers.models.llama import modeling_llama

from explorer.positions import Pairs, Stretched, Turning, rotary

CLOSE = {"rtol": 1e-5, "atol": 1e-6}
"""Their angles are made in float32."""


@pytest.mark.parametrize("stretch", [1.0, 4.0])
def test_llama_turns_by_halves(stretch):
    rope = {"rope_type": "linear", "factor": stretch, "rope_theta": 500_000.0}
    rope = rope if stretch != 1 else {"rope_type": "default", "rope_theta": 500_000.0}
    config = LlamaConfig(hidden_size=16, num_attention_heads=2, rope_parameters=rope)
    x = np.random.default_rng(0).normal(size=(1, 2, 5, 8))
    given = torch.tensor(x)
    cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(given, torch.arange(5)[None])
    theirs, _ = modeling_llama.apply_rotary_pos_emb(given, given, cos, sin)
    ours = rotary(x, Turning(Pairs.HALVES, 500_000.0, stretch))
    np.testing.assert_allclose(ours, theirs.numpy(), **CLOSE)


def test_a_larger_base_is_transformers_dynamic_scaling_at_the_end_of_a_longer_sentence():
    """There the stretch grows with the sentence: factor * T / trained - (factor - 1)."""
    rope = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10_000.0}
    config = LlamaConfig(
        hidden_size=16, num_attention_heads=2, rope_parameters=rope, max_position_embeddings=4
    )
    x = np.random.default_rng(0).normal(size=(1, 2, 12, 8))
    given = torch.tensor(x)
    cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(given, torch.arange(12)[None])
    theirs, _ = modeling_llama.apply_rotary_pos_emb(given, given, cos, sin)
    ours = rotary(x, Turning(Pairs.HALVES, 10_000.0, 2 * 12 / 4 - 1, Stretched.BASE))
    np.testing.assert_allclose(ours, theirs.numpy(), **CLOSE)
