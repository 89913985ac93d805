"""``x.shape = shape`` in a function whose arrays nobody else has, as ``x = x.reshape(shape)``."""

from __future__ import annotations

import ast

from jupyter_npcompile.cell.syntax import NodeT, clone


def reshaped(node: NodeT) -> NodeT:
    """Return a function with reshapes in place of assignments to the shapes of its arrays.

    NumPy's own functions give a shape only to arrays that they have just computed and that have
    one name, so this is the same for them. It is not for others.

    Examples
    --------
    >>> print(ast.unparse(reshaped(ast.parse("b = a + 1; b.shape = 2, 3"))))
    b = a + 1
    b = b.reshape((2, 3))
    >>> print(ast.unparse(reshaped(ast.parse("a.shape = b.shape = shape; a[0].shape = shape"))))
    a = a.reshape(shape)
    b = b.reshape(shape)
    a[0].shape = shape
    """
    changed: NodeT = _Reshapes().visit(clone(node))
    return changed


class _Reshapes(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.Assign | list[ast.Assign]:
        names = [
            target.value
            for target in node.targets
            if isinstance(target, ast.Attribute)
            and target.attr == "shape"
            and isinstance(target.value, ast.Name)
        ]
        several = len(node.targets) > 1
        if len(names) != len(node.targets) or (several and not isinstance(node.value, ast.Name)):
            return node
        return [_reshape(name, node.value, node) for name in names]


def _reshape(array: ast.Name, shape: ast.expr, place: ast.stmt) -> ast.Assign:
    method = ast.copy_location(ast.Attribute(array, "reshape", ast.Load()), array)
    call = ast.copy_location(ast.Call(method, [clone(shape)], []), place)
    target = ast.copy_location(ast.Name(array.id, ast.Store()), array)
    return ast.copy_location(ast.Assign([target], call), place)
