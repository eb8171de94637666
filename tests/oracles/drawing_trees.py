"""Drawing programs as trees: made at random, written in the three syntaxes, and run by walking the tree.

Nothing here comes from `worlds.flatland` but what its language means: the walker knows no graph, no port and
no link back to a loop.
"""

import json
import math

MOVE, TURN, LOOP, CALL = range(4)


def random_flows(random, most=3):
    """Flows (name, parameters, statements), each of which may call those before it."""
    flows = []
    for k in range(random.randint(1, most)):
        params = [f"p{j}" for j in range(random.randint(0, 2))]
        flows.append((f"f{k}", params, _statements(random, 0, list(flows), params)))
    return flows


def _statements(random, depth, flows, names):
    found = []
    for _ in range(random.randint(1, 3)):
        kind = random.choice([MOVE, TURN, *[LOOP if depth < 3 else TURN] * 2, CALL if flows else MOVE])
        if kind == MOVE:
            found.append((MOVE, _value(random, names, 20), random.random() < 0.3))
        elif kind == TURN:
            found.append((TURN, _value(random, names, 90)))
        elif kind == LOOP:
            count, start = f"i{depth}x{random.randint(0, 10**6)}", random.choice([0, 0, 1, 2])
            body = _statements(random, depth + 1, flows, [*names, count])
            found.append((LOOP, count, start, start + random.randint(0, 4), body))
        else:
            flow, params, _ = random.choice(flows)
            found.append((CALL, flow, [_value(random, names, 15) for _ in params]))
    return found


def _value(random, names, largest):
    """A number, a name, or their sum."""
    number = random.choice([random.randint(0, largest), round(random.uniform(-largest, largest), 2)])
    name = random.choice(names) if names and random.random() < 0.5 else None
    return number if name is None else random.choice([name, ("+", name, number)])


def walked(statements, names, flows, pose, lines):
    """The pose after the statements; every move is added to `lines` with its pen."""

    def value(x):
        return value(x[1]) + value(x[2]) if isinstance(x, tuple) else names.get(x, x)

    for kind, *rest in statements:
        x, y, theta = pose
        if kind == MOVE:
            ahead = math.radians(theta)
            to = x + value(rest[0]) * math.cos(ahead), y + value(rest[0]) * math.sin(ahead)
            lines.append((x, y, *to, not rest[1]))
            pose = to[0] % 128, to[1] % 128, theta
        elif kind == TURN:
            pose = x, y, (theta + value(rest[0])) % 360
        elif kind == LOOP:
            for count in range(rest[1], rest[2]):
                pose = walked(rest[3], {**names, rest[0]: count}, flows, pose, lines)
        else:
            _, params, body = next(flow for flow in flows if flow[0] == rest[0])
            given = dict(zip(params, map(value, rest[1]), strict=True))
            pose = walked(body, given, flows, pose, lines)
    return pose


def _graph(statements, closing):
    """Nodes (name, type, arguments), links (source, port, target), the first node and the last."""
    nodes, links = [], []

    def add(part):
        first = last = None
        for kind, *rest in part:
            name = f"n{len(nodes)}"
            if kind == MOVE:
                node = ("move", [rest[0], rest[1]])
            elif kind == TURN:
                node = ("turn", rest)
            elif kind == LOOP:
                node = ("loop", rest[:3])
            else:
                node = (rest[0], rest[1])
            nodes.append((name, *node))
            if last is not None:
                links.append((last, "out", name))
            if kind == LOOP:
                at = len(links)
                inner, end = add(rest[3])
                links.insert(at, (name, "body", inner))
                links.extend([(end, "out", name)] * closing)
            first, last = first or name, name
        return first, last

    return nodes, links, *add(statements)


def _lisp(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f"({' '.join(map(_lisp, value))})" if isinstance(value, tuple) else str(value)


def _plain(value):
    return list(value) if isinstance(value, tuple) else value


def written(flows, args, position, theta, syntax, closing):
    """The last flow called with these arguments, bodies of loops closed by a link or not."""
    parts = []
    for name, params, statements in flows:
        nodes, links, first, last = _graph(statements, closing)
        typed = {n: " ".join([kind, *map(_lisp, given)]) for n, kind, given in nodes}
        if syntax == "fbp":
            said = {first}
            lines = [f"@param {{{p}}} (int (3 12))" for p in params]
            lines.append(f"{name}({' '.join(['start', *params])}) -> {first}({typed[first]})")
            for source, port, target in links:
                place = target if target in said else f"{target}({typed[target]})"
                said.add(target)
                lines.append(f"{source}{' body' * (port == 'body')} -> {place}")
            parts.append("\n".join([*lines, f"{last} -> {name}(end)"]))
        elif syntax == "lisp":
            body = [f"(create-node {n} {text})" for n, text in typed.items()]
            body += [f"(create-link {s}{':body' * (p == 'body')} {t})" for s, p, t in links]
            body += [f"(create-entry {first})", f"(create-exit {last})"]
            randoms = " ".join(f"({p} (int (3 12)))" for p in params)
            parts.append(f"(define-flow {name} ({' '.join(params)}) ({randoms}) ({' '.join(body)}))")
        else:
            keys = ("name", "type", "args")
            listed = [dict(zip(keys, (n, k, list(map(_plain, g))), strict=True)) for n, k, g in nodes]
            flow = {"name": name, "params": params, "randoms": {}, "nodes": listed}
            parts.append(flow | {"links": links, "entries": [first], "exits": [[last, "out"]]})
    run, start = flows[-1][0], {"position": position, "theta": theta}
    if syntax == "json":
        return json.dumps({"flows": parts, "run": {"flow": run, "args": args, **start}})
    called = " ".join(map(str, args))
    if syntax == "fbp":
        return "\n".join([*parts, f"{json.dumps(start)} -> {run}({called})"])
    x, y = position
    return f"(begin {' '.join(parts)} (run-flow {run} ({called}) ({x} {y}) {theta}))"
