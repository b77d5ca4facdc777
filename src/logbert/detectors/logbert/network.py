"""The network of LogBERT: a Transformer encoder that reads a log sequence with some of its keys hidden.

Notable:
- a DIST token first, whose last hidden vector stands for the whole sequence; in the default preset an END token last
- sinusoidal positions added to the key embeddings
- an input narrower or wider than the hidden vectors goes through one linear projection (the paper gives 50 and 256, and
  a residual connection needs both sides of a sub-layer to be equally wide)
- residual, then layer norm (post-norm), ReLU in the feed-forward
- one fused matrix for queries, keys and values; attention never looks at padding
- only masked positions go to the output layer, and only places that are asked about through the last layer
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows it by
from torch import Tensor, nn

from logbert.detectors.logbert.tokens import END, PAD, SPECIALS

if TYPE_CHECKING:
    from logbert.detectors.logbert.config import LogBERTConfig

SHORT = 64  # tokens


def sinusoids(length: int, width: int) -> Tensor:
    """Position embeddings T: sines in the even columns, cosines in the odd ones, (length, width)."""
    position = torch.arange(length, dtype=torch.float32)[:, None]  # (length, 1)
    rate = torch.exp(
        torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width)
    )  # (ceil(width / 2),)
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)[:, : width // 2]
    return table


def _attend(q: Tensor, k: Tensor, v: Tensor, visible: Tensor | None) -> Tensor:
    """Compute softmax(Q K^T / sqrt(d_v)) V plainly: for short sequences twice as fast as torch's fused kernel."""
    weights = (q * q.shape[-1] ** -0.5).contiguous() @ k.transpose(-1, -2).contiguous()  # (B, H, L, L)
    if visible is not None:
        weights = weights.masked_fill_(~visible, -torch.inf)
    mixed: Tensor = weights.softmax(dim=-1) @ v.contiguous()
    return mixed


def _choose(x: Tensor, chosen: Tensor) -> Tensor:
    """Give the vectors of M tokens, (M, hidden), of (B, L, hidden)."""
    return x.flatten(0, 1).index_select(0, chosen)


class Attention(nn.Module):
    """Multi-head self-attention, equations 1 and 2: f(X) = Concat(head_1, ..., head_H) W_O."""

    def __init__(self, config: LogBERTConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.hidden, 3 * config.hidden)
        self.out = nn.Linear(config.hidden, config.hidden)

    def forward(self, x: Tensor, visible: Tensor | None, chosen: Tensor | None = None) -> Tensor:
        """Let every token look at the visible ones; x is (B, L, hidden), visible (B, 1, 1, L) or None for all.

        Of the M `chosen` tokens only, (M,) of B * L, the answer is (M, hidden).
        """
        b, length, hidden = x.shape
        qkv = self.qkv(x).view(b, length, 3, self.heads, hidden // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # each (B, H, L, hidden / H)
        if length <= SHORT and not self.training:
            mixed = _attend(q, k, v, visible)
        else:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)  # (B, H, L, hidden / H)
        mixed = mixed.transpose(1, 2).reshape(b, length, hidden)
        return self.out(mixed if chosen is None else _choose(mixed, chosen))  # type: ignore[no-any-return]

    def between(self, own: Tensor, x: Tensor) -> Tensor:
        """Let some places, (B, places, hidden), look at every token of (B, L, hidden)."""
        b, length, hidden = x.shape
        weight, bias = self.qkv.weight, self.qkv.bias
        q = F.linear(own, weight[:hidden], bias[:hidden]).view(b, -1, self.heads, hidden // self.heads).transpose(1, 2)
        kv = F.linear(x, weight[hidden:], bias[hidden:]).view(b, length, 2, self.heads, hidden // self.heads)
        k, v = kv.permute(2, 0, 3, 1, 4)  # each (B, H, L, hidden / H)
        mixed = _attend(q, k, v, None) if length <= SHORT else F.scaled_dot_product_attention(q, k, v)
        return self.out(mixed.transpose(1, 2).reshape(own.shape))  # type: ignore[no-any-return]


class Layer(nn.Module):
    """One Transformer layer, equation 3, with a residual connection and layer norm around each sub-layer."""

    def __init__(self, config: LogBERTConfig) -> None:
        super().__init__()
        self.attention = Attention(config)
        self.norm_attention = nn.LayerNorm(config.hidden)
        self.widen = nn.Linear(config.hidden, config.feed_forward)
        self.narrow = nn.Linear(config.feed_forward, config.hidden)
        self.norm_feed_forward = nn.LayerNorm(config.hidden)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, visible: Tensor | None, chosen: Tensor | None = None) -> Tensor:
        """Map (B, L, hidden) to (B, L, hidden), or to the vectors of the chosen tokens, (M, hidden)."""
        return self._after(x if chosen is None else _choose(x, chosen), self.attention(x, visible, chosen))

    def at(self, own: Tensor, x: Tensor) -> Tensor:
        """Map some places' vectors, (B, places, hidden), which look at all of (B, L, hidden)."""
        return self._after(own, self.attention.between(own, x))

    def _after(self, x: Tensor, attended: Tensor) -> Tensor:
        x = self.norm_attention(x + self.dropout(attended))
        fed = self.narrow(F.relu(self.widen(x)))
        return self.norm_feed_forward(x + self.dropout(fed))  # type: ignore[no-any-return]


class LogBERTNetwork(nn.Module):
    """From tokens to hidden vectors, and from the hidden vectors of masked positions to a distribution over keys."""

    def __init__(self, config: LogBERTConfig, keys: int) -> None:
        super().__init__()
        self.first_class = END if config.end else SPECIALS  # the token of class 0
        self.embedding = nn.Embedding(SPECIALS + keys, config.input)
        self.positions: Tensor
        widest = config.context + 2 + config.fog  # DIST, keys, END and fog
        self.register_buffer("positions", sinusoids(widest, config.input), persistent=False)
        self.project = nn.Linear(config.input, config.hidden) if config.input != config.hidden else nn.Identity()
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.output = nn.Linear(config.hidden, SPECIALS + keys - self.first_class)  # W_C and b_C of equation 4

    def forward(self, tokens: Tensor, chosen: Tensor | None = None) -> Tensor:
        """Give the contextual vectors h of (B, L) tokens: (B, L, hidden).

        Of `chosen` tokens only, (M,) of B * L, they are (M, hidden): in training most tokens are there to be looked
        at, and nobody asks what the last layer makes of them.
        """
        visible = (tokens != PAD)[:, None, None, :]
        sums = self.embedding(tokens) + self.positions[: tokens.shape[1]]  # (B, L, input)
        x: Tensor = self.dropout(self.project(sums))  # (B, L, hidden)
        *first, last = self.layers
        for layer in first:
            x = layer(x, visible)
        return last(x, visible, chosen)  # type: ignore[no-any-return]

    def at(self, tokens: Tensor, places: Tensor) -> Tensor:
        """Give the contextual vectors of some places only, of (B, L) tokens without padding: (B, places, hidden)."""
        x: Tensor = self.project(self.embedding(tokens) + self.positions[: tokens.shape[1]])  # (B, L, hidden)
        *first, last = self.layers
        for layer in first:
            x = layer(x, None)
        own = x.gather(1, places[..., None].expand(-1, -1, x.shape[2]))
        return last.at(own, x)  # type: ignore[no-any-return,operator]

    def logits(self, hidden: Tensor) -> Tensor:
        """Score every class, equation 4 before the softmax: (M, hidden) to (M, classes)."""
        return self.output(hidden)  # type: ignore[no-any-return]
