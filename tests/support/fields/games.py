"""Cellular automata, growth, walks and puzzles."""

import numpy as np


def life(board, steps):
    history = [int(board.sum())]
    for _ in range(steps):
        near = sum(
            np.roll(np.roll(board, i, 0), j, 1)
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if (i, j) != (0, 0)
        )
        board = ((near == 3) | ((board == 1) & (near == 2))).astype(board.dtype)
        history.append(int(board.sum()))
    return board, history


def life_in_place(z, steps):
    for _ in range(steps):
        near = (
            z[:-2, :-2]
            + z[:-2, 1:-1]
            + z[:-2, 2:]
            + z[1:-1, :-2]
            + z[1:-1, 2:]
            + z[2:, :-2]
            + z[2:, 1:-1]
            + z[2:, 2:]
        )
        birth = (near == 3) & (z[1:-1, 1:-1] == 0)
        survive = ((near == 2) | (near == 3)) & (z[1:-1, 1:-1] == 1)
        z[...] = 0
        z[1:-1, 1:-1][birth | survive] = 1
    return z


def neighbours(grid, i, j):
    total = 0
    rows, columns = grid.shape
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di == 0 and dj == 0:
                continue
            total += grid[(i + di) % rows, (j + dj) % columns]
    return total


def life_by_cells(grid):
    new = grid.copy()
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            around = neighbours(grid, i, j)
            if grid[i, j] and (around < 2 or around > 3):
                new[i, j] = 0
            elif not grid[i, j] and around == 3:
                new[i, j] = 1
    return new


def elementary(rule, width, steps):
    table = np.array([(rule >> k) & 1 for k in range(8)], dtype=np.uint8)
    rows = np.zeros((steps, width), dtype=np.uint8)
    rows[0, width // 2] = 1
    for t in range(1, steps):
        left, right = np.roll(rows[t - 1], 1), np.roll(rows[t - 1], -1)
        rows[t] = table[4 * left + 2 * rows[t - 1] + right]
    print("\n".join("".join(".#"[c] for c in row) for row in rows[:4]))
    return rows, rows.sum(axis=1)


def langton(size, steps):
    grid = np.zeros((size, size), dtype=bool)
    x = y = size // 2
    dx, dy = 0, -1
    for _ in range(steps):
        if grid[y, x]:
            dx, dy = dy, -dx
        else:
            dx, dy = -dy, dx
        grid[y, x] ^= True
        x = (x + dx) % size
        y = (y + dy) % size
    return grid, (x, y), np.count_nonzero(grid)


def topple(sand):
    sand = sand.copy()
    count = 0
    while (over := sand >= 4).any() and count < 200:
        sand[over] -= 4
        sand[1:] += over[:-1]
        sand[:-1] += over[1:]
        sand[:, 1:] += over[:, :-1]
        sand[:, :-1] += over[:, 1:]
        count += 1
    return sand, count


def forest(trees, sparks):
    burning = np.zeros_like(trees, dtype=bool)
    burning[0] = trees[0] & sparks
    spread = [burning.sum()]
    while True:
        near = np.zeros_like(burning)
        near[1:] |= burning[:-1]
        near[:-1] |= burning[1:]
        near[:, 1:] |= burning[:, :-1]
        near[:, :-1] |= burning[:, 1:]
        new = burning | (near & trees)
        if (new == burning).all():
            break
        burning = new
        spread.append(burning.sum())
    return burning, np.array(spread), burning[-1].any()


def labels(grid):
    label = np.where(grid, np.arange(1, grid.size + 1).reshape(grid.shape), 0)
    for _ in range(grid.size):
        before = label.copy()
        for axis in (0, 1):
            for step in (1, -1):
                moved = np.roll(label, step, axis)
                edge = [slice(None)] * 2
                edge[axis] = 0 if step == 1 else -1
                moved[tuple(edge)] = 0
                label = np.where(grid, np.maximum(label, moved), 0)
        if np.array_equal(label, before):
            break
    values, sizes = np.unique(label[label > 0], return_counts=True)
    return label, values, sizes


def queens(n):
    found = []
    columns = np.zeros(n, dtype=bool)
    up, down = np.zeros(2 * n, dtype=bool), np.zeros(2 * n, dtype=bool)
    places = np.full(n, -1)

    def place(row):
        if row == n:
            found.append(places.copy())
            return
        for c in range(n):
            if columns[c] or up[row + c] or down[row - c + n]:
                continue
            columns[c] = up[row + c] = down[row - c + n] = True
            places[row] = c
            place(row + 1)
            columns[c] = up[row + c] = down[row - c + n] = False

    place(0)
    return len(found), found[0] if found else None


def walk(steps, bound):
    position = np.zeros(2)
    path = np.empty((len(steps) + 1, 2))
    path[0] = position
    for k, step in enumerate(steps, start=1):
        position += step
        np.clip(position, -bound, bound, out=position)
        path[k] = position
    distance = np.hypot(*path.T)
    return path, distance.max(), distance.argmax(), np.linalg.norm(path[-1])


def turmite_moves(board, moves):
    delta = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
    at = np.array([0, 0])
    for move in moves:
        at = (at + delta[move]) % board.shape
        board[tuple(at)] += 1
    return board, tuple(int(k) for k in at)


def magic_square(n):
    square = np.zeros((n, n), int)
    i, j = 0, n // 2
    for k in range(1, n * n + 1):
        square[i, j] = k
        up, right = (i - 1) % n, (j + 1) % n
        if square[up, right]:
            i = (i + 1) % n
        else:
            i, j = up, right
    sums = {*square.sum(0).tolist(), *square.sum(1).tolist(), int(np.trace(square))}
    return square, sums, np.trace(square[:, ::-1])


def diffusion_limited(size, walkers, seed):
    rng = np.random.default_rng(seed)
    grid = np.zeros((size, size), bool)
    grid[size // 2, size // 2] = True
    stuck = 0
    for _ in range(walkers):
        x, y = rng.integers(0, size, 2)
        for _ in range(30):
            if grid[max(x - 1, 0) : x + 2, max(y - 1, 0) : y + 2].any():
                grid[x, y] = True
                stuck += 1
                break
            dx, dy = rng.integers(-1, 2, 2)
            x, y = min(max(x + dx, 0), size - 1), min(max(y + dy, 0), size - 1)
    return grid, stuck


def maze_distances(walls):
    distance = np.full(walls.shape, -1)
    front = [(0, 0)]
    distance[0, 0] = 0
    while front:
        new = []
        for r, c in front:
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                i, j = r + dr, c + dc
                inside = 0 <= i < walls.shape[0] and 0 <= j < walls.shape[1]
                if inside and not walls[i, j] and distance[i, j] < 0:
                    distance[i, j] = distance[r, c] + 1
                    new.append((i, j))
        front = new
    return distance, distance.max()


def _board(rng, n):
    return (rng.random((n, n + 2)) < 0.4).astype(int)


PROGRAMS = {
    life: lambda rng, n: (_board(rng, n), 4),
    life_in_place: lambda rng, n: (_board(rng, n), 4),
    life_by_cells: lambda rng, n: (_board(rng, n),),
    elementary: lambda rng, n: (int(rng.integers(256)), n + 3, n),
    langton: lambda rng, n: (n + 2, 20 * n),
    topple: lambda rng, n: (rng.integers(0, 6, (n, n)),),
    forest: lambda rng, n: (rng.random((n, n + 1)) < 0.6, rng.random(n + 1) < 0.5),
    labels: lambda rng, n: (rng.random((n, n)) < 0.5,),
    queens: lambda rng, n: (4 + n % 3,),
    walk: lambda rng, n: (rng.normal(size=(n, 2)), 1.5),
    turmite_moves: lambda rng, n: (np.zeros((n, n), int), "".join(rng.choice([*"UDLR"], 2 * n))),
    magic_square: lambda rng, n: (2 * (n // 4) + 3,),
    diffusion_limited: lambda rng, n: (n + 4, n, n),
    maze_distances: lambda rng, n: (rng.random((n, n)) < 0.3,),
}
