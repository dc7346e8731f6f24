// Follows one symbol at one interval, and polls the server's metrics.

const CANDLES_KEPT = 200;
const TABLE_ROWS = 10;
const PIXELS_PER_CANDLE = 8;
const POLL_MILLIS = 1_000;
const REDRAW_MILLIS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1_000 : 100;
const UNIT_MILLIS = {ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000};
const USUAL_INTERVALS = ['1s', '5s', '15s', '1m', '5m', '15m', '1h', '4h', '1d'];

const byId = id => document.getElementById(id);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);

let stream = null; // of the chosen symbol and interval
let candles = []; // by open time
let drawn = []; // the last of them, as many as the chart has room for
let drawTimer = 0;
let paused = false;
let metricsBefore = {};

// ---- texts ----

function setText(element, text) {
  if (element.textContent !== text) { // setting the same text would make a screen reader repeat it
    element.textContent = text;
  }
}

/** Makes a table's body show these texts. Cells are reused, so that a reader keeps its place. */
function fillRows(body, rows) {
  while (body.rows.length > rows.length) {
    body.deleteRow(-1);
  }
  rows.forEach((texts, i) => {
    const row = body.rows[i] ?? body.insertRow();
    texts.forEach((text, j) => {
      const cell = row.cells[j] ?? row.appendChild(document.createElement(j === 0 ? 'th' : 'td'));
      setText(cell, text);
    });
    row.cells[0].scope = 'row';
  });
}

const format = (number, options) => Number.isFinite(number) ? number.toLocaleString('en', options) : '–';
const percent = (part, whole) => format(part / whole, {style: 'percent', maximumFractionDigits: 1});

/** Formats numbers with as many decimals as the one that needs most. */
function formatAlike(numbers) {
  const decimals = number => {
    const [, fraction, exponent] = String(number).match(/^\d+\.?(\d*)e?(.*)$/);
    return fraction.length - exponent;
  };
  const most = Math.max(0, ...numbers.map(decimals));
  return numbers.map(number => format(number, {minimumFractionDigits: most, maximumFractionDigits: most}));
}

/** Formats a number in the largest unit that it reaches; each unit is 1,000 times the one before. */
function formatIn(units, number) {
  const unit = units.findLastIndex((_, i) => i === 0 || number >= 1_000 ** i);
  return `${format(number / 1_000 ** unit, {maximumSignificantDigits: 3})} ${units[unit]}`;
}

const duration = nanos => formatIn(['ns', 'µs', 'ms', 's'], nanos);
const size = bytes => formatIn(['B', 'kB', 'MB', 'GB'], bytes);

function millisOf(interval) {
  const [, count, unit] = interval.match(/^(\d+)(\D+)$/);
  return count * UNIT_MILLIS[unit];
}

/** The date and, where candles are shorter than a day, the time. */
function openTime(candle) {
  const [date, time] = new Date(candle.open_time).toISOString().split('T');
  const length = millisOf(byId('interval').value);
  return length >= UNIT_MILLIS.d ? [date] : [date, time.slice(0, length >= UNIT_MILLIS.m ? 5 : 8)];
}

/** The texts of candles in the order of the table's columns. */
function textsOf(some) {
  const prices = formatAlike(some.flatMap(({open, high, low, close}) => [open, high, low, close]));
  const volumes = formatAlike(some.map(({volume}) => volume));
  return some.map((candle, i) =>
    [openTime(candle).join('\n'), ...prices.slice(4 * i, 4 * i + 4), volumes[i], format(candle.count)]);
}

// ---- chart ----

const ticks = {color: () => colour('muted')};
const grid = {color: () => colour('line')};

const chart = new Chart(byId('chart'), {
  type: 'bar',
  data: {
    datasets: [ // the first is drawn last: a body hides its wick
      {yAxisID: 'price', borderWidth: 1, borderSkipped: false, minBarLength: 1},
      {yAxisID: 'price', barThickness: 1},
      {yAxisID: 'volume'},
    ],
  },
  options: {
    animation: false,
    maintainAspectRatio: false,
    onResize: drawSoon,
    datasets: {bar: {grouped: false, categoryPercentage: 0.75, barPercentage: 1}},
    interaction: {mode: 'index', intersect: false},
    scales: {
      x: {grid: {display: false}, ticks: {...ticks, maxRotation: 0, autoSkipPadding: 24}},
      price: {axis: 'y', position: 'right', stack: 'y', stackWeight: 4, beginAtZero: false, grace: '4%', grid, ticks},
      volume: {
        axis: 'y',
        position: 'right',
        stack: 'y',
        grid,
        ticks: {...ticks, maxTicksLimit: 3, callback: (value, i, all) => i < all.length - 1 ? format(value) : ''},
      },
    },
    plugins: {
      legend: {display: false},
      tooltip: {
        displayColors: false,
        filter: item => item.datasetIndex === 0,
        callbacks: {title: () => '', label: item => describe(drawn[item.dataIndex])},
      },
    },
  },
});

function describe(candle) {
  const [texts] = textsOf([candle]);
  return texts.map((text, column) => `${byId('columns').cells[column].textContent}: ${text}`);
}

function drawSoon() {
  if (!drawTimer && !paused) {
    drawTimer = setTimeout(draw, REDRAW_MILLIS);
  }
}

function draw() {
  drawTimer = 0;
  drawn = candles.slice(-Math.max(TABLE_ROWS, Math.floor(chart.width / PIXELS_PER_CANDLE)));
  const byDirection = (up, down) => drawn.map(({open, close}) => close < open ? down : up);
  const [bodies, wicks, volumes] = chart.data.datasets;
  chart.data.labels = drawn.map(candle => openTime(candle).reverse());
  bodies.data = drawn.map(({open, close}) => [open, close]);
  bodies.borderColor = byDirection(colour('up'), colour('down'));
  bodies.backgroundColor = byDirection(colour('background'), colour('down'));
  wicks.data = drawn.map(({low, high}) => [low, high]);
  wicks.backgroundColor = bodies.borderColor;
  volumes.data = drawn.map(({volume}) => volume);
  volumes.backgroundColor = colour('volume');
  chart.update();
  fillRows(byId('candles'), textsOf(drawn.slice(-TABLE_ROWS)).reverse());
}

// ---- candles ----

function say(text, state) {
  byId('status').dataset.state = state;
  setText(byId('status'), text);
}

async function getJson(address) {
  const response = await fetch(address);
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(answer.error);
  }
  return answer;
}

/** Puts a candle into its place; of two versions the one with more trades stays. */
function keep(candle) {
  let place = candles.length;
  while (place > 0 && candles[place - 1].open_time >= candle.open_time) {
    place--;
  }
  const known = candles[place]?.open_time === candle.open_time;
  if (!known || candle.count >= candles[place].count) {
    candles.splice(place, known ? 1 : 0, candle);
  }
  candles.splice(0, candles.length - CANDLES_KEPT);
  drawSoon();
}

/** Opens the stream of what is chosen; once it is open, fetches the candles, so that none is missed. */
function follow() {
  stream?.close();
  const query = new URLSearchParams({symbol: byId('symbol').value, interval: byId('interval').value});
  const name = [...query.values()].join(', ');
  const opened = new EventSource(`stream?${query}`);
  stream = opened;
  candles = [];
  say(`Connecting: ${name}`, 'waiting');
  draw();
  byId('chart').ariaLabel = `Candles and volume of ${name}. The table below has the last ten.`;

  opened.onopen = async () => {
    candles = []; // the server may have been restarted
    try {
      const answer = await getJson(`candles?${query}&limit=${CANDLES_KEPT}&format=json`);
      if (stream === opened) {
        answer.candles.forEach(keep);
        say(`Live: ${name}`, 'live');
      }
    } catch (error) {
      if (stream === opened) {
        opened.close(); // the next poll opens another
        say(error.message, 'waiting');
      }
    }
  };
  opened.onerror = () => say('Disconnected, reconnecting', 'waiting');
  opened.addEventListener('candle', event => keep(JSON.parse(event.data).candle));
}

/** Offers these values; the chosen one stays chosen if it is among them. */
function offer(choice, values) {
  if ([...choice.options].map(option => option.value).join('\n') !== values.join('\n')) {
    const chosen = choice.value;
    choice.replaceChildren(...values.map(value => new Option(value)));
    choice.value = values.includes(chosen) ? chosen : values[0];
  }
}

async function pollSymbols() {
  const {interval, symbols} = await getJson('symbols');
  const isMultiple = usual => millisOf(usual) > millisOf(interval) && millisOf(usual) % millisOf(interval) === 0;
  offer(byId('symbol'), symbols.map(({symbol}) => symbol));
  offer(byId('interval'), [interval, ...USUAL_INTERVALS.filter(isMultiple)]);
  if (symbols.length === 0) {
    say('Waiting for the first trade', 'waiting');
  } else if (!stream || stream.readyState === EventSource.CLOSED) {
    follow();
  }
}

// ---- metrics ----

async function pollMetrics() {
  const response = await fetch('metrics');
  const before = metricsBefore;
  const now = {time: performance.now() / 1_000};
  for (const [, name, value] of (await response.text()).matchAll(/^(\w+) (\S+)$/gm)) {
    now[name] = Number(value);
  }
  metricsBefore = now;
  const perSecond = name => (now[name] - before[name]) / (now.time - before.time);

  const stages = Object.keys(now).flatMap(name => name.match(/^millrace_pipeline_(.+)_processed_total$/)?.[1] ?? []);
  fillRows(byId('stages'), stages.map(stage => {
    const prefix = `millrace_pipeline_${stage}_`;
    return [
      stage,
      format(perSecond(`${prefix}processed_total`), {maximumFractionDigits: 0}),
      format(now[`${prefix}lag`]),
      percent(now[`${prefix}utilisation_thousandths`], 1_000),
      duration(now[`${prefix}latency_p50_nanos`]),
      duration(now[`${prefix}latency_p99_nanos`]),
    ];
  }));
  const capacity = now.millrace_ring_capacity;
  const inUse = capacity - now.millrace_pipeline_free_slots;
  const hits = now.millrace_cache_hits_total;
  const reads = hits + now.millrace_cache_misses_total;
  byId('meter').value = inUse / capacity || 0;
  setText(byId('trades'), format(now.ohlcv_trades_total));
  setText(byId('late'), format(now.ohlcv_late_total));
  setText(byId('ring'), `${format(inUse)} of ${format(capacity)}`);
  setText(byId('hits'), `${format(hits)} of ${format(reads)} (${percent(hits, reads)})`);
  setText(byId('cached'), `${format(now.millrace_cache_entries)} (${size(now.millrace_cache_bytes)})`);
  setText(byId('allocated'), `${size(perSecond('jvm_allocated_bytes_total'))}/s`);
  setText(byId('collections'), `${format(now.jvm_collections_total)} (${format(now.jvm_collection_millis_total)} ms)`);
}

async function poll() {
  try {
    if (!paused) {
      await Promise.all([pollSymbols(), pollMetrics()]);
      setText(byId('note'), 'Updated every second.');
    }
  } catch {
    setText(byId('note'), 'The server does not answer: these figures are old.');
  }
  setTimeout(poll, POLL_MILLIS);
}

function pause(now) {
  paused = now;
  byId('pause').ariaPressed = String(paused);
  drawSoon();
}

byId('symbol').onchange = byId('interval').onchange = () => {
  pause(false);
  follow();
};
byId('pause').onclick = () => pause(!paused);
matchMedia('(prefers-color-scheme: dark)').onchange = drawSoon;
poll();
