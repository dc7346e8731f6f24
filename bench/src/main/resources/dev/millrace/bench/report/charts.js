"use strict";
// The ratios, drawn by Chart.js: a bar for the interval, a dot for the ratio, a stroke for the target.
// Everything in them is in the tables also.
(() => {
  const charts = JSON.parse(document.getElementById("chart-data").textContent).ratios;
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const points = (name, values, style) =>
    ({ type: "line", label: name, data: values, showLine: false, ...style });

  // As many as there is room for, the one at 1 always.
  function ticks(chart, width) {
    const room = width * .6 / Math.log10(chart.high / chart.low);
    const digits = room > 160 ? [1, 2, 3, 5] : room > 100 ? [1, 2, 5] : room > 60 ? [1, 3] : [1];
    const all = [];
    for (let power = -4; power <= 6; power++) {
      digits.forEach(digit => all.push(Number((digit * 10 ** power).toPrecision(1))));
    }
    return all.filter(value => value >= chart.low && value <= chart.high);
  }

  function datasets(bars) {
    const ratios = bars.map(bar => bar.ratio);
    const tone = bars.map(bar => colour(bar.ratio < (bar.target ?? 1) ? "--bad" : "--clear"));
    return [
      points("target", bars.map(bar => bar.target), {
        pointStyle: "line", rotation: 90, pointRadius: 9, pointHoverRadius: 9, pointBorderWidth: 3, borderColor: colour("--gap"),
      }),
      points("ratio", ratios, {
        pointStyle: "circle", pointRadius: 5, pointHoverRadius: 6,
        pointBackgroundColor: tone, pointBorderColor: colour("--paper"),
      }),
      { type: "bar", label: "95 % interval", data: bars.map(bar => bar.interval), barThickness: 5, minBarLength: 2,
        backgroundColor: colour("--soft") },
    ];
  }

  function draw(chart) {
    const canvas = document.getElementById(chart.id);
    const tallest = Math.max(...chart.bars.map(bar => bar.label.length));
    canvas.parentElement.style.height = (chart.bars.length * (tallest > 1 ? 38 : 30) + 64) + "px";
    const font = { family: getComputedStyle(document.body).fontFamily, size: 12 };
    const grid = context => context.tick && context.tick.value === 1;
    return new Chart(canvas, {
      data: { labels: chart.bars.map(bar => bar.label), datasets: datasets(chart.bars) },
      options: {
        indexAxis: "y", animation: false, responsive: true, maintainAspectRatio: false, events: [],
        plugins: {
          legend: { display: false },
          tooltip: { enabled: false },
        },
        scales: {
          x: {
            type: "logarithmic", min: chart.low, max: chart.high,
            title: { display: true, text: "times as fast as the peer", color: colour("--soft"), font },
            ticks: { color: colour("--soft"), font, maxRotation: 0, autoSkip: false, callback: value => Number(value.toPrecision(2)) + "×" },
            afterBuildTicks: axis => { axis.ticks = ticks(chart, axis.chart.width).map(value => ({ value })); },
            grid: {
              color: context => colour(grid(context) ? "--ink" : "--line"),
              lineWidth: context => grid(context) ? 2 : 1,
            },
          },
          y: { type: "category", ticks: { color: colour("--ink"), font, autoSkip: false }, grid: { display: false } },
        },
      },
    });
  }

  let drawn = charts.map(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawn.forEach(chart => chart.destroy());
    drawn = charts.map(draw);
  });
})();
