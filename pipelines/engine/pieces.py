"""An exported graph cut into pieces that run one after another: each repeated block, and what lies between blocks.

Blocks of one kind are the same piece, called with other weights, so one engine serves them all. The cut goes by the
marks that `export` leaves on nodes. What several blocks share and none of them adds to, such as the activation of the
time embedding, is computed once before them; sizes and other whole numbers are computed again in each piece, so that
only floating tensors go from piece to piece.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipelines.engine.chain import Step
from pipelines.engine.interfaces import Axis
from pipelines.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from pipelines.engine.interfaces import Interface

REGION = "region"  # the mark on a node: the path of its block in the network
_HEAD = 1  # the place of what comes before all blocks; blocks have even ones, what follows each the next odd one
Size = tuple[int, ...]
Sizes = tuple[Size, Size, Size]  # the smallest, the usual and the largest


@dataclass(frozen=True, slots=True)
class Piece:
    """One graph (ONNX) and the sizes of its inputs by name; `weights` are those of its inputs that a step fills."""

    graph: bytes
    sizes: Mapping[str, Sizes]
    weights: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """The pieces, each once, and the order in which steps call them: `Step.engine` is a number of `pieces`."""

    pieces: tuple[Piece, ...]
    steps: tuple[Step, ...]


def cut(file: Path, interface: Interface, weights: Collection[str]) -> Cut:
    """Cut the graph in `file`, of which the inputs `weights` are parameters.

    Raises:
        EngineFailure: it has no marked blocks, or cannot be cut at them.
    """
    ir: Any = importlib.import_module("onnx_ir")
    graph = ir.load(str(file)).graph
    measure = _Measure(graph, interface)
    placed = _place(graph, set(weights))
    drafts = [_Draft(ir, graph, nodes, placed, set(weights)) for nodes in placed.pieces()]
    wanted = {value for draft in drafts for value in draft.imports} | set(graph.outputs)
    pieces: dict[bytes, Piece] = {}
    steps: list[Step] = []
    for draft in drafts:
        step, piece = draft.finish(wanted, measure)
        known = pieces.get(piece.graph)
        pieces[piece.graph] = piece if known is None else _widen(known, piece)
        steps.append(Step(list(pieces).index(piece.graph), *step))
    return Cut(tuple(pieces.values()), tuple(steps))


def _widen(one: Piece, other: Piece) -> Piece:
    """The piece for the sizes of both, as when blocks of one kind are called at several resolutions."""

    def join(first: Sizes, second: Sizes) -> Sizes:
        least = tuple(map(min, first[0], second[0]))
        return least, first[1], tuple(map(max, first[2], second[2]))

    return Piece(one.graph, {name: join(one.sizes[name], other.sizes[name]) for name in one.sizes}, one.weights)


class _Measure:
    """Sizes of tensors, which the graph has as formulas in the sizes of its inputs, at the ends of their ranges."""

    def __init__(self, graph: Any, interface: Interface) -> None:
        self._sympy: Any = importlib.import_module("sympy")
        self._known: dict[str, tuple[int, int, int]] = {}
        self._bounds: list[dict[str, int]] = [{}, {}, {}]
        for value, one in zip(graph.inputs, interface.inputs, strict=False):
            for dim, axis in zip(value.shape, one.shape, strict=True):
                if isinstance(axis, Axis):
                    for bounds, size in zip(self._bounds, (axis.minimum, axis.usual, axis.maximum), strict=True):
                        bounds[_formula(dim)] = size

    def __call__(self, value: Any) -> Sizes:
        if value.shape is None:
            raise EngineFailure(f"The size of the tensor {value.name} is not known.", "Build it without regions.")
        dims = [self._evaluate(dim) for dim in value.shape]
        return tuple(one[0] for one in dims), tuple(one[1] for one in dims), tuple(one[2] for one in dims)

    def _evaluate(self, dim: Any) -> tuple[int, int, int]:
        if isinstance(dim, int):
            return dim, dim, dim
        text = _formula(dim)
        if text not in self._known:
            formula = self._sympy.sympify(text)
            least, usual, most = (formula.subs(bounds) for bounds in self._bounds)
            if {str(symbol) for symbol in formula.free_symbols} - self._bounds[0].keys():
                raise EngineFailure(f"The size {text} is not that of an input.", "Build it without regions.")
            self._known[text] = int(least), int(usual), int(most)
        return self._known[text]


def _formula(dim: Any) -> str:
    return str(getattr(dim, "value", dim))


@dataclass(frozen=True, slots=True)
class _Placed:
    """The place of each node in the order of pieces; `fluid` ones have none and are repeated where they are needed."""

    order: tuple[Any, ...]
    places: Mapping[Any, int]
    fluid: frozenset[Any]

    def pieces(self) -> list[tuple[str, list[Any]]]:
        """The nodes of each piece with the path of its block, which is empty for what is none."""
        found: dict[int, list[Any]] = {}
        for node in self.order:
            if node not in self.fluid:
                found.setdefault(self.places[node], []).append(node)
        return [(_region(nodes[0]) if place % 2 == 0 else "", nodes) for place, nodes in sorted(found.items())]


def _region(node: Any) -> str:
    return str(node.metadata_props.get(REGION, ""))


def _is_fluid(node: Any, fluid: set[Any], weights: set[str]) -> bool:
    """Whether it computes whole numbers, or from nothing but constants and weights."""
    if all(one.dtype is not None and not one.dtype.is_floating_point() for one in node.outputs):
        return True
    inputs = [one for one in node.inputs if one is not None]
    return all(one.is_initializer() or one.name in weights or one.producer() in fluid for one in inputs)


def _find_shared(order: list[Any], weights: set[str]) -> set[Any]:
    """Nodes of blocks that depend on no block, have no weights, and serve other blocks too."""
    depending: set[Any] = set()
    for node in order:
        inputs = [one for one in node.inputs if one is not None]
        own = bool(_region(node)) and any(one.name in weights for one in inputs)
        if own or any(one.producer() in depending for one in inputs):
            depending.add(node)
    shared: set[Any] = set()
    for node in reversed(order):
        users = [use.node for one in node.outputs for use in one.uses()]
        region = _region(node)
        if region and node not in depending and any(user in shared or _region(user) != region for user in users):
            shared.add(node)
    return shared


def _place(graph: Any, weights: set[str]) -> _Placed:
    order = list(graph)
    shared = _find_shared(order, weights)
    places: dict[Any, int] = {}
    fluid: set[Any] = set()
    regions: dict[str, int] = {}
    for node in order:
        before = max((places[one.producer()] for one in node.inputs if one is not None and one.producer()), default=1)
        if _is_fluid(node, fluid, weights):
            fluid.add(node)
            places[node] = before
        elif _region(node) and node not in shared:
            places[node] = regions.setdefault(_region(node), 2 * len(regions) + 2)
            if before > places[node]:
                raise EngineFailure(f"The block {_region(node)} needs a later one.", "Build it without regions.")
        else:
            places[node] = before | _HEAD
    if not regions:
        raise EngineFailure("This network has no repeated blocks.", "Build it without regions.")
    return _Placed(tuple(order), places, frozenset(fluid))


class _Draft:
    """One piece in the making, under names that are the same for all blocks of its kind."""

    def __init__(self, ir: Any, graph: Any, piece: tuple[str, list[Any]], placed: _Placed, weights: set[str]) -> None:
        self._ir = ir
        self._opsets = dict(graph.opset_imports)
        self._region, self._nodes = piece
        self._own = set(self._nodes)
        self._placed = placed
        self._weights = weights
        self._new: dict[Any, Any] = {}  # by the value of the whole graph
        self._made: list[Any] = []
        self._constants: list[Any] = []
        self._dims: dict[str, str] = {}
        self.imports: dict[Any, str] = {}
        self._filled: dict[str, str] = {}  # the piece's names of weights to those of the checkpoint
        for node in self._nodes:  # first what is computed with, so that sizes can be read off it
            for value in node.inputs:
                if value is not None and self._is_foreign(value):
                    self._import(value)
        for node in self._nodes:
            self._copy(node)

    def finish(
        self, wanted: Collection[Any], measure: _Measure
    ) -> tuple[tuple[str, dict[str, str], dict[str, str], dict[str, str]], Piece]:
        """What a `Step` says besides its engine, and the piece; `wanted` are the values that leave any piece."""
        leaving = [one for node in self._nodes for one in node.outputs if one in wanted]
        outputs: dict[str, str] = {}
        for number, value in enumerate(leaving):
            self._new[value].name = f"out_{number}"
            outputs[f"out_{number}"] = value.name
        inputs = [self._new[value] for value in self.imports]
        weights = [one for one in self._new.values() if one.name in self._filled and one.producer() is None]
        graph = self._ir.Graph(
            [*inputs, *weights],
            [self._new[value] for value in leaving],
            nodes=self._made,
            initializers=self._constants,
            opset_imports=self._opsets,
            name="piece",
        )
        model: Any = self._ir.to_proto(self._ir.Model(graph, ir_version=10))
        sizes = {name: measure(value) for value, name in self.imports.items()}
        step = self._region, {name: value.name for value, name in self.imports.items()}, outputs, self._filled
        return step, Piece(model.SerializeToString(deterministic=True), sizes, tuple(self._filled))

    def _copy(self, node: Any) -> None:
        given, attributes = list(node.inputs), list(node.attributes.values())
        if node.op_type == "Shape" and self._is_foreign(given[0]):
            given, attributes = self._read_near(node)
        inputs = [None if one is None else self._bring(one) for one in given]
        outputs = [self._value(one, f"{len(self._made)}_{number}") for number, one in enumerate(node.outputs)]
        number = len(self._made)
        self._made.append(
            self._ir.Node(node.domain, node.op_type, inputs, attributes, outputs=outputs, name=f"node_{number}")
        )

    def _bring(self, value: Any) -> Any:
        """The piece's own value for one of the whole graph."""
        if value in self._new:
            return self._new[value]
        producer = value.producer()
        if value.is_initializer():
            made = self._value(value, f"constant_{len(self._constants)}")
            made.const_value = value.const_value
            self._constants.append(made)
        elif value.name in self._weights:
            own = value.name.removeprefix(f"{self._region}.") if self._region else value.name
            self._filled[own] = value.name
            self._value(value, own)
        elif producer is not None and producer in self._placed.fluid:
            self._copy(producer)
        else:
            self._import(value)
        return self._new[value]

    def _is_foreign(self, value: Any) -> bool:
        """Whether it comes from another piece or is an input of the whole."""
        producer = value.producer()
        if value.is_initializer() or value.name in self._weights or value in self._new:
            return False
        return producer is None or (producer not in self._placed.fluid and producer not in self._own)

    def _import(self, value: Any) -> None:
        self.imports[value] = f"in_{len(self.imports)}"
        self._value(value, self.imports[value])

    def _read_near(self, node: Any) -> tuple[list[Any], list[Any]]:
        """For one size of a tensor from elsewhere: input and attributes to read it off one that is here anyway."""
        (value,), start, end = node.inputs, *(node.attributes.get(name) for name in ("start", "end"))
        same: tuple[list[Any], list[Any]] = [value], list(node.attributes.values())
        if value.shape is None or start is None or end is None or end.value != start.value + 1:
            return same
        wanted = _formula(value.shape[start.value])
        for one in self.imports:
            for axis, dim in enumerate(one.shape or ()):
                if _formula(dim) == wanted:
                    return [one], [self._ir.AttrInt64("start", axis), self._ir.AttrInt64("end", axis + 1)]
        return same

    def _value(self, value: Any, name: str) -> Any:
        shape = None if value.shape is None else self._ir.Shape([self._rename(dim) for dim in value.shape])
        self._new[value] = self._ir.Value(name=name, shape=shape, type=value.type)
        return self._new[value]

    def _rename(self, dim: Any) -> int | str:
        """A size that changes, under a name that is the same in all blocks of a kind."""
        return dim if isinstance(dim, int) else self._dims.setdefault(_formula(dim), f"size_{len(self._dims)}")
