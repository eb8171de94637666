// The small mathematics of the live demos: what gl.generality, gl.g_index, gl.logistic_indicators and the two
// simulations of gl.widgets compute, for tables that a page can hold. The Python package is the original:
// tests/test_web_measures.py compares every function here with it in a browser, to 1e-9.

const EPSILON = 2 ** -52;
const ROUNDING = 16 * EPSILON; // relative to the scale of the difficulties
const DUST = 1e-12; // of the interval
const ABSTRUSE = 1e-12;

export const sum = (values) => values.reduce((total, value) => total + value, 0);
export const mean = (values) => sum(values) / values.length;
export const clip = (value, low, high) => Math.min(Math.max(value, low), high);

export function deviation(values) {
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}

// -- curves: capability Ψ, spread S, generality Γ, normalised generality γ, expected difficulty H ----------

/** The distinct difficulties, and the place of each item among them. */
function levelsOf(difficulty) {
  const levels = [...new Set(difficulty)].sort((a, b) => a - b);
  const place = new Map(levels.map((level, k) => [level, k]));
  return { levels, levelOf: difficulty.map((h) => place.get(h)) };
}

/** Mean response at each level; NaN where nothing was met. */
function meanResponses(responses, { levels, levelOf }) {
  const [total, met] = [new Float64Array(levels.length), new Float64Array(levels.length)];
  for (let k = 0; k < levelOf.length; k += 1) {
    if (Number.isNaN(responses[k])) continue;
    total[levelOf[k]] += responses[k];
    met[levelOf[k]] += 1;
  }
  return Array.from(total, (value, k) => value / met[k]);
}

/** Mean response at each distinct difficulty; NaN marks what was not met. Gives {levels, psi}. */
export function characteristicCurve(responses, difficulty) {
  const scale = levelsOf(difficulty);
  return { levels: scale.levels, psi: meanResponses(responses, scale) };
}

/** ∫ f g over [a, b], both linear on it. */
const product = (a, b, f0, f1, g0, g1) => ((b - a) / 6) * (f0 * (2 * g0 + g1) + f1 * (g0 + 2 * g1));

/** The points of a curve; where the ends were not met, it is there as at the nearest level that was. */
function pointsOf(levels, psi) {
  const points = [];
  for (let k = 0; k < levels.length; k += 1) if (!Number.isNaN(psi[k])) points.push([levels[k], psi[k]]);
  if (!points.length) throw new Error("an agent has no response at all");
  if (points[0][0] > levels[0]) points.unshift([levels[0], points[0][1]]);
  if (points.at(-1)[0] < levels.at(-1)) points.push([levels.at(-1), points.at(-1)[1]]);
  return points;
}

/** Calls `visit(a, b, ψ(a), ψ(b))` on the straight pieces in [low, high]: solved left of the first level, failed right of the last. */
function alongPieces(points, [low, high], visit) {
  let [x0, y0] = [Math.min(low, points[0][0]), 1];
  for (let k = 0; k < points.length; k += 1) {
    const [x1, next] = points[k];
    const y1 = k === 0 ? 1 : next;
    const slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    const [a, b] = [clip(x0, low, high), clip(x1, low, high)];
    if (b > a) visit(a, b, y0 + slope * (a - x0), y0 + slope * (b - x0));
    [x0, y0] = [x1, next];
  }
}

/** Area, first moment about low and S² of a curve, summed so that nothing cancels. */
function areaMomentVariance(points, interval) {
  const low = interval[0];
  let [area, moment, half] = [0, 0, 0];
  alongPieces(points, interval, (a, b, ya, yb) => {
    area += product(a, b, ya, yb, 1, 1);
    moment += product(a, b, ya, yb, a - low, b - low);
  });
  const centre = low + area;
  alongPieces(points, interval, (a, b, ya, yb) => {
    const m = clip(centre, a, b);
    const ym = ya + ((yb - ya) * (m - a)) / (b - a);
    half += product(a, m, 1 - ya, 1 - ym, centre - a, centre - m);
    half += product(m, b, ym, yb, m - centre, b - centre);
  });
  return [area, moment, 2 * half];
}

/** Eqs. 5 to 9 of the generality supplement from A = ∫ψ, M = ∫(h - low)ψ and S² = 2M - A². */
export function conclude(area, moment, variance, [low, high], origin = low) {
  const q = high - low;
  const noise = Math.max(ROUNDING * Math.max(Math.abs(low), Math.abs(high)), DUST * q);
  const square = variance > noise ** 2 ? variance : 0;
  const spread = Math.sqrt(square);
  const room = area * (q - area);
  const solved = area + (low - origin);
  const gamma = room <= noise * q ? 1 : 1 - square / room;
  const expected = (moment + low * area + (low ** 2 - origin ** 2) / 2) / solved;
  return {
    capability: low + area,
    spread,
    generality: 1 / spread,
    normalised_generality: Math.max(gamma, -1),
    expected_difficulty: solved <= 0 ? origin : expected,
    abstruse: gamma < -ABSTRUSE,
  };
}

function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const k = Math.floor(at);
  return sorted[k] + (at - k) * ((sorted[k + 1] ?? sorted[k]) - sorted[k]);
}

/** Where H is counted from without an interval: 0, or below by the quantiles where a difficulty is negative. */
function lowerLimit(difficulty) {
  const sorted = [...difficulty].sort((a, b) => a - b);
  if (sorted[0] >= 0) return 0;
  const range = quantile(sorted, 0.95) - quantile(sorted, 0.05);
  return Math.min(sorted[0], quantile(sorted, 0.5) - 2 * range);
}

/** gl.generality(rows, difficulty, interval=interval, missing="drop"): one object for each agent. */
export function generality(rows, difficulty, interval = null) {
  const low = Math.min(...difficulty);
  const span = interval ?? [low, Math.max(...difficulty)];
  const origin = interval ? interval[0] : Math.min(low, lowerLimit(difficulty));
  const scale = levelsOf(difficulty);
  return rows.map((row) => {
    const sums = areaMomentVariance(pointsOf(scale.levels, meanResponses(row, scale)), span);
    const met = row.filter((value) => !Number.isNaN(value));
    return { ...conclude(...sums, span, origin), mean: mean(met) };
  });
}

/** The spread of an agent of this capability and γ: the isometrics of the plane. */
export function spreadAt(capability, gamma, [low, high]) {
  return Math.sqrt(Math.max((1 - gamma) * (capability - low) * (high - capability), 0));
}

/** Average ranks from 1, the largest value first: how hard items are by their mean score. */
export function ranksFromTop(values) {
  return values.map((value) => {
    const above = values.filter((other) => other > value).length;
    return above + (values.filter((other) => other === value).length + 1) / 2;
  });
}

// -- numpy's generator: a seed gives the same draws in the page and in Python -------------------------------

const WORD = 0xffffffffn;
const LONG = (1n << 64n) - 1n;
const HUGE = (1n << 128n) - 1n;

/** The 128 bits of state and the 128 of stream that a seed stands for (numpy's SeedSequence, O'Neill 2015). */
function seeded(seed) {
  let hash = 0x43b0d7e5n;
  const mixed = (value) => {
    const before = (value ^ hash) & WORD;
    hash = (hash * 0x931e8875n) & WORD;
    const after = (before * hash) & WORD;
    return after ^ (after >> 16n);
  };
  const pool = [mixed(BigInt(seed) & WORD), mixed(0n), mixed(0n), mixed(0n)];
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) {
      if (from === to) continue;
      const both = (0xca01f9ddn * pool[to] - 0x4973f715n * mixed(pool[from])) & WORD;
      pool[to] = both ^ (both >> 16n);
    }
  }
  hash = 0x8b51f9ddn;
  const words = Array.from({ length: 8 }, (_, k) => {
    const before = pool[k % 4] ^ hash;
    hash = (hash * 0x58f38dedn) & WORD;
    const after = (before * hash) & WORD;
    return after ^ (after >> 16n);
  });
  const long = [0, 2, 4, 6].map((k) => words[k] | (words[k + 1] << 32n));
  return [(long[0] << 64n) | long[1], (long[2] << 64n) | long[3]];
}

/** Marsaglia and Tsang's ziggurat of 256 layers for the normal distribution: edges, densities, limits. */
const ziggurat = (() => {
  const [right, volume] = [3.6541528853610087963519472518, 0.004928673233974655];
  const density = (x) => Math.exp(-0.5 * x * x);
  const edge = new Float64Array(257);
  edge[256] = volume / density(right);
  edge[255] = right;
  for (let k = 254; k >= 1; k -= 1) {
    edge[k] = Math.sqrt(-2 * Math.log(volume / edge[k + 1] + density(edge[k + 1])));
  }
  return { right, edge, density };
})();

/** numpy.random.default_rng(seed): random(), integers(n), normal(), permutation(n), in numpy's order of draws. */
export function generator(seed) {
  const [start, stream] = seeded(seed);
  const step = ((stream << 1n) | 1n) & HUGE;
  const next = (state) => (state * 0x2360ed051fc65da44385df649fccf645n + step) & HUGE;
  let state = next((next(0n) + start) & HUGE);
  let half = null;

  function bits64() {
    state = next(state);
    const folded = ((state >> 64n) ^ state) & LONG;
    const turn = state >> 122n;
    return ((folded >> turn) | (folded << (64n - turn))) & LONG;
  }
  function bits32() {
    if (half !== null) {
      const kept = half;
      half = null;
      return kept;
    }
    const both = bits64();
    half = both >> 32n;
    return both & WORD;
  }
  const random = () => Number(bits64() >> 11n) / 2 ** 53;

  function integers(below) { // Lemire 2019
    if (below === 1) return 0;
    const n = BigInt(below);
    const unfair = ((1n << 32n) - n) % n;
    let found = bits32() * n;
    while ((found & WORD) < unfair) found = bits32() * n;
    return Number(found >> 32n);
  }
  function normal() {
    const { right, edge, density } = ziggurat;
    for (;;) {
      const drawn = bits64();
      const layer = Number(drawn & 0xffn);
      const sign = (drawn >> 8n) & 1n ? -1 : 1;
      const share = Number((drawn >> 9n) & ((1n << 52n) - 1n)) / 2 ** 52;
      const outer = edge[layer === 0 ? 256 : layer];
      const inner = layer === 0 ? right : layer === 1 ? 0 : edge[layer - 1];
      const x = share * outer;
      if (x < inner) return sign * x;
      if (layer === 0) {
        for (;;) {
          const far = -Math.log1p(-random()) / right;
          const bound = -Math.log1p(-random());
          if (2 * bound > far * far) return ((drawn >> 17n) & 1n ? -1 : 1) * (right + far);
        }
      }
      const [above, below] = [layer === 1 ? 1 : density(edge[layer - 1]), density(outer)];
      if ((above - below) * random() + below < density(x)) return sign * x;
    }
  }
  function masked(most) { // as numpy shuffles: the bits that `most` needs, until they are not beyond it
    const bits = (1n << BigInt(32 - Math.clz32(most))) - 1n;
    let found = bits32() & bits;
    while (found > BigInt(most)) found = bits32() & bits;
    return Number(found);
  }
  function permutation(n) {
    const order = Array.from({ length: n }, (_, k) => k);
    for (let k = n - 1; k >= 1; k -= 1) {
      const j = masked(k);
      [order[k], order[j]] = [order[j], order[k]];
    }
    return order;
  }
  return { random, integers, normal, permutation };
}

const kept = new Map(); // draws by their name: moving a slider draws nothing anew
function once(key, make) {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key);
}

// -- tables of responses -----------------------------------------------------------------------------------

const evenRound = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));
const table = (rows, columns, cell) =>
  Array.from({ length: rows }, (_, j) => Array.from({ length: columns }, (_unused, k) => cell(j, k)));
const study = (rows) => {
  const items = rows[0].length;
  return { rows, difficulty: rows[0].map((_, k) => k + 1), interval: [0, items + 1] };
};

/** gl.widgets.guttman_responses: a Guttman table at 0, each agent its own topic at 1. */
export function guttmanResponses(specialists, { agents = 12, items = 24, topics = 4, seed = 1 } = {}) {
  const { draws, own } = once(`guttman ${agents} ${items} ${topics} ${seed}`, () => {
    const draw = generator(seed);
    return { draws: table(agents, items, draw.random), own: table(agents, 1, () => draw.integers(topics)) };
  });
  const rows = draws.map((row, j) => {
    const rank = row.map((draw, k) => {
      const taste = draw * 0.5 + (k % topics === own[j][0] ? 0 : 1);
      return (1 - specialists) * (k / items) + specialists * taste;
    });
    const order = rank.map((_, k) => k).sort((a, b) => rank[a] - rank[b]);
    const solved = new Set(order.slice(0, evenRound((items * (j + 1)) / (agents + 1))));
    return row.map((_, k) => (solved.has(k) ? 1 : 0));
  });
  return study(rows);
}

/** gl.widgets.population_responses: each agent a mixture of a step and a constant. */
export function populationResponses(steepness, variation, { agents = 120, items = 96, seed = 1 } = {}) {
  const { normals, draws } = once(`population ${agents} ${items} ${seed}`, () => {
    const draw = generator(seed);
    return { normals: Array.from({ length: agents }, draw.normal), draws: table(agents, items, draw.random) };
  });
  const capability = normals.map((normal) => clip(0.5 + variation * normal, 0.02, 0.98));
  return study(table(agents, items, (j, k) => {
    const step = (k + 1 - 0.5) / items <= capability[j] ? 1 : 0;
    return draws[j][k] < steepness * step + (1 - steepness) * capability[j] ? 1 : 0;
  }));
}

// -- one factor ----------------------------------------------------------------------------------------------

const LEAST_UNIQUENESS = 0.005;

function correlations(columns) {
  const centred = columns.map((column) => {
    const middle = mean(column);
    return column.map((value) => value - middle);
  });
  const dot = (a, b) => sum(a.map((value, k) => value * b[k]));
  const size = centred.map((column) => Math.sqrt(dot(column, column)));
  return centred.map((a, i) => centred.map((b, j) => dot(a, b) / (size[i] * size[j])));
}

/** One loading with the others given: least squares, held back where its square passes 1 - 0.005. */
function bestLoading(others, squares) {
  const free = others / squares;
  const most = 1 - LEAST_UNIQUENESS;
  if (!(squares > 0) || free ** 2 <= most) return squares > 0 ? free : 0;
  let x = free;
  for (let k = 0; k < 60; k += 1) { // Newton on squares x - others + x (x² - most)
    x -= (squares * x - others + x * (x * x - most)) / (squares + 3 * x * x - most);
  }
  return x;
}

/** One loading after the other, until none moves by more than `still`. */
function descend(matrix, loading, still) {
  for (let round = 0; round < 4000; round += 1) {
    let moved = 0;
    for (let i = 0; i < loading.length; i += 1) {
      let [others, squares] = [0, 0];
      for (let j = 0; j < loading.length; j += 1) {
        if (j !== i) { others += matrix[i][j] * loading[j]; squares += loading[j] ** 2; }
      }
      const found = bestLoading(others, squares);
      moved = Math.max(moved, Math.abs(found - loading[i]));
      loading[i] = found;
    }
    if (moved < still) return loading;
  }
  return loading;
}

/** Minres (Harman and Jones 1966) for one factor: the best of descents from every column, then to the end. */
function oneFactor(matrix) {
  let [best, least] = [null, Infinity];
  for (const start of matrix) {
    const loading = descend(matrix, start.map((r) => 0.7 * r), 1e-6);
    const misfit = sum(loading.map((a, i) => sum(loading.map((b, j) => {
      if (i === j) return Math.max(a * a - 1 + LEAST_UNIQUENESS, 0) ** 2;
      return (matrix[i][j] - a * b) ** 2;
    }))));
    if (misfit < least) [best, least] = [loading, misfit];
  }
  return descend(matrix, best, 1e-12);
}

/** gl.widgets.general_factor_share: the variance of random tests that one factor carries. */
export function generalFactorShare(rows, { tests = 8, seed = 1 } = {}) {
  const size = Math.floor(rows[0].length / tests);
  const deal = once(`deal ${rows[0].length} ${seed}`, () => generator(seed).permutation(rows[0].length));
  const scores = table(tests, rows.length, (t, j) => mean(deal.slice(t * size, (t + 1) * size).map((k) => rows[j][k])));
  const varied = scores.filter((column) => Math.max(...column) > Math.min(...column));
  if (varied.length < 3) return 0;
  return mean(oneFactor(correlations(varied)).map((loading) => loading ** 2));
}

// -- the g-index -----------------------------------------------------------------------------------------------

/** gl.g_index(gl.widgets.system(...), mode): g and its parts for equal domains with one task each (Eq 7-9). */
export function gIndex({ performance, domains = 4, samples = 40, compute = 100, own = 0.1, other = 0.7 }, mode = "exact") {
  const exact = mode === "exact";
  const weight = 1 / (1 + Math.log2(samples));
  const experience = Math.log2(exact ? (1e3 * compute) / domains : compute);
  if (!(1e-4 + experience > 0)) throw new Error("compute gives no positive experience: raise it");
  const [near, far] = [own, other].map((omega) => Math.exp(10 * omega));
  const term = (difficulty) => (weight * difficulty) / (1e-4 + experience);
  const bracket = term(near) + (domains - 1) * term(far);
  const value = Math.sqrt(Math.exp(12 * performance) * bracket);
  return {
    value: exact ? value : evenRound(value * 1e3) / 1e3,
    weight,
    experience,
    difficulty: near,
    own_share: term(near) / bracket,
    bracket,
    contribution: value,
    domain_distance: domains > 1 ? Math.min(own, other) : own,
  };
}

/** The level of generalisation by the mean Ω of the tasks (g-index paper, Section 3.3). */
export function generalisationLevel(distance) {
  const at = Math.round(distance * 1e9) / 1e9;
  const borders = [[0.15, "L1"], [0.4, "between L1 and L2"], [0.7, "L2"], [0.85, "between L2 and L3"]];
  const found = borders.find(([border, name]) => at < border || (at === border && name.length === 2));
  return found ? found[1] : "L3";
}

// -- logistic curves of time horizons ----------------------------------------------------------------------------

const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/** Gauss-Legendre nodes and weights on [-1, 1] by Newton's method. */
const legendre = (n) => Array.from({ length: n }, (_, k) => {
  let x = Math.cos((Math.PI * (k + 0.75)) / (n + 0.5));
  let slope = 1;
  for (let round = 0; round < 8; round += 1) {
    let [before, now] = [1, x];
    for (let m = 2; m <= n; m += 1) [before, now] = [now, ((2 * m - 1) * x * now - (m - 1) * before) / m];
    slope = (n * (x * now - before)) / (x * x - 1);
    x -= now / slope;
  }
  return [x, 2 / ((1 - x * x) * slope * slope)];
});
const NODES = legendre(40);

/** gl.logistic_indicators(theta, beta, interval) for β > 0, with the two horizons in minutes. */
export function logisticIndicators(theta, beta, interval) {
  const [low, high] = interval;
  const q = high - low;
  const rate = (h) => 1 / (1 + Math.exp(beta * (h - theta)));
  const fail = (h) => 1 / (1 + Math.exp(-beta * (h - theta)));
  // pieces short enough for the quadrature to be exact to rounding, the first moments about Ψ
  const pieces = Math.max(1, Math.ceil((beta * q) / 8));
  const integral = (f, from, to) => {
    const wide = (to - from) / pieces;
    let total = 0;
    for (let k = 0; k < pieces; k += 1) {
      for (const [x, w] of NODES) total += w * f(from + wide * (k + (x + 1) / 2));
    }
    return (total * wide) / 2;
  };
  const area = (softplus(beta * (theta - low)) - softplus(beta * (theta - high))) / beta;
  const centre = clip(low + area, low, high);
  const moment = integral((h) => (h - low) * rate(h), low, high);
  const left = integral((h) => (centre - h) * fail(h), low, centre);
  const right = integral((h) => (h - centre) * rate(h), centre, high);
  const found = conclude(area, moment, 2 * (left + right), interval);
  delete found.abstruse;
  return {
    ...found,
    spread_logistic: Math.PI / Math.sqrt(3) / beta,
    h50: theta,
    horizon_50: 2 ** theta,
    horizon_80: 2 ** (theta - Math.log(4) / beta),
  };
}
