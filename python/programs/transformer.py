"""A two-layer causal transformer: embedding, attention, layer norm, GELU, logits and loss. Weights are inputs."""

import jax
import jax.numpy as jnp

BATCH, SEQUENCE, VOCABULARY, WIDTH, HEADS, LAYERS = 2, 32, 128, 64, 4, 2


def layer_norm(x, scale, offset):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + offset


def attention(x, weights):
    query, key, value = (
        (x @ weights[name]).reshape(BATCH, SEQUENCE, HEADS, WIDTH // HEADS) for name in ("query", "key", "value")
    )
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * (WIDTH // HEADS) ** -0.5
    causal = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    weighting = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", weighting, value)
    return mixed.reshape(BATCH, SEQUENCE, WIDTH) @ weights["out"]


def transformer(weights, tokens):
    x = weights["embedding"][tokens] + weights["position"]
    for layer in weights["layers"]:
        x = x + attention(layer_norm(x, layer["scale_1"], layer["offset_1"]), layer)
        hidden = jax.nn.gelu(layer_norm(x, layer["scale_2"], layer["offset_2"]) @ layer["up"] + layer["up_bias"])
        x = x + hidden @ layer["down"] + layer["down_bias"]
    logits = layer_norm(x, weights["scale"], weights["offset"]) @ weights["embedding"].T
    likelihoods = jax.nn.log_softmax(logits[:, :-1])
    loss = -jnp.take_along_axis(likelihoods, tokens[:, 1:, None], axis=-1).mean()
    return logits, loss


def build():
    keys = iter(jax.random.split(jax.random.key(0), 64))

    def weight(*shape):
        return jax.random.normal(next(keys), shape) * shape[0] ** -0.5

    def layer():
        return {
            **{name: weight(WIDTH, WIDTH) for name in ("query", "key", "value", "out")},
            **{name: jnp.ones(WIDTH) for name in ("scale_1", "scale_2")},
            **{name: jnp.zeros(WIDTH) for name in ("offset_1", "offset_2", "down_bias")},
            "up": weight(WIDTH, 4 * WIDTH),
            "up_bias": jnp.zeros(4 * WIDTH),
            "down": weight(4 * WIDTH, WIDTH),
        }

    weights = {
        "embedding": weight(VOCABULARY, WIDTH),
        "position": weight(SEQUENCE, WIDTH),
        "scale": jnp.ones(WIDTH),
        "offset": jnp.zeros(WIDTH),
        "layers": [layer() for _ in range(LAYERS)],
    }
    tokens = jax.random.randint(next(keys), (BATCH, SEQUENCE), 0, VOCABULARY)
    return transformer, (weights, tokens)
