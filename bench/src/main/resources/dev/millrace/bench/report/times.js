"use strict";
// Percentiles of times, drawn by Chart.js: a line for each contender, both axes logarithmic. Across it is told how
// rare a time is: 100 for one in a hundred, which is the 99th percentile.
(() => {
  const charts = JSON.parse(document.getElementById("time-data").textContent);
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const hues = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8c7ae6", "#999999"];
  const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

  // A contender looks the same in all charts.
  const peers = [...new Set(charts.flatMap(chart => chart.times.filter(one => !one.isOurs).map(one => one.contender)))];

  function percentile(x) {
    const power = Math.round(Math.log10(x));
    return power < 1 ? "0 %" : (power < 3 ? 100 - 10 ** (2 - power) : (100 - 10 ** (2 - power)).toFixed(power - 2)) + " %";
  }

  function decades(axis) {
    const ticks = [];
    for (let value = 1; value <= axis.max * 1.0001; value *= 10) {
      if (value >= axis.min * 0.9999) {
        ticks.push({ value });
      }
    }
    return ticks;
  }

  function dataset(curve) {
    const index = peers.indexOf(curve.contender);
    return {
      label: curve.contender, data: curve.points, parsing: false, pointRadius: 0,
      borderColor: curve.isOurs ? colour("--ink") : hues[index % hues.length],
      borderWidth: curve.isOurs ? 3.5 : 2, borderDash: curve.isOurs ? [] : dashes[index % dashes.length],
      order: curve.isOurs ? 0 : 1,
    };
  }

  // A power of ten around it all, so that there are at least two ticks.
  function bounds(curves) {
    const times = curves.flatMap(curve => curve.points.map(point => point.y)).filter(time => time > 0);
    return [10 ** Math.floor(Math.log10(Math.min(...times))), 10 ** Math.ceil(Math.log10(Math.max(...times)))];
  }

  function draw(chart) {
    const canvas = document.getElementById(chart.id);
    canvas.parentElement.style.height = "380px";
    const font = { family: getComputedStyle(document.body).fontFamily, size: 12 };
    const [low, high] = bounds(chart.times);
    const scale = (text, more) => ({
      type: "logarithmic", title: { display: true, text, color: colour("--soft"), font },
      afterBuildTicks: axis => { axis.ticks = decades(axis); }, grid: { color: colour("--line") }, ...more,
    });
    const ticks = callback => ({ color: colour("--soft"), font, maxRotation: 0, autoSkip: true, callback });
    return new Chart(canvas, {
      type: "line",
      data: { datasets: chart.times.map(dataset) },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, events: [],
        plugins: {
          legend: { position: "bottom", labels: { color: colour("--ink"), font, boxWidth: 28, boxHeight: 0 } },
          tooltip: { enabled: false },
        },
        scales: {
          x: scale("percentile", { min: 1, ticks: ticks(percentile) }),
          y: scale("nanoseconds", { min: low, max: high, ticks: ticks(value => value.toLocaleString("en")) }),
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
