"use strict";
// Records a second over several works, drawn by Chart.js: a line for each contender, a stroke for each interval.
// Everything in them is in the tables also.
(() => {
  const charts = JSON.parse(document.getElementById("chart-data").textContent).sweeps;
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const shapes = ["rect", "triangle", "rectRot", "rectRounded"]; // those that can be hollow
  const dashes = [[], [6, 3], [2, 3]];

  // A contender looks the same in all charts.
  const peers = [...new Set(charts.flatMap(chart => chart.curves.filter(one => !one.ours).map(one => one.contender)))];

  function style(curve) {
    if (curve.ours) {
      return { borderColor: colour("--clear"), borderWidth: 3, pointStyle: "circle", pointRadius: 5, borderDash: [] };
    }
    const number = peers.indexOf(curve.contender);
    const lightness = matchMedia("(prefers-color-scheme: dark)").matches ? 68 : 40;
    return {
      borderColor: `hsl(${200 + number * 137.5} 65% ${lightness}%)`, borderWidth: 1.5, pointRadius: 4,
      pointStyle: shapes[number % shapes.length], borderDash: dashes[number % dashes.length],
    };
  }

  function dataset(curve) {
    const look = style(curve);
    return {
      ...look, label: curve.contender, data: curve.points, backgroundColor: look.borderColor,
      pointBackgroundColor: curve.points.map(point => point.oversubscribed ? colour("--paper") : look.borderColor),
    };
  }

  const intervals = {
    id: "intervals",
    beforeDatasetsDraw(chart) {
      chart.data.datasets.forEach(one => one.data.filter(point => point.low !== null).forEach(point => {
        const x = chart.scales.x.getPixelForValue(point.x);
        const clip = value => Math.min(Math.max(value, chart.scales.y.min), chart.scales.y.max);
        chart.ctx.save();
        chart.ctx.strokeStyle = one.borderColor;
        chart.ctx.globalAlpha = .6;
        chart.ctx.lineWidth = 2;
        chart.ctx.beginPath();
        chart.ctx.moveTo(x, chart.scales.y.getPixelForValue(clip(point.low)));
        chart.ctx.lineTo(x, chart.scales.y.getPixelForValue(clip(point.high)));
        chart.ctx.stroke();
        chart.ctx.restore();
      }));
    },
  };

  const short = value => value >= 1 << 20 ? value / (1 << 20) + "Mi" : value >= 1 << 11 ? value / (1 << 10) + "Ki" : String(value);

  // 1, 2 and 5 of each power of ten within the axis.
  function amounts(low, high) {
    const all = [];
    for (let power = 0; power <= 12; power++) {
      [1, 2, 5].forEach(digit => all.push(digit * 10 ** power));
    }
    return all.filter(value => value >= low && value <= high);
  }

  function draw(chart) {
    const points = chart.curves.flatMap(curve => curve.points);
    const places = [...new Set(points.map(point => point.x))].sort((a, b) => a - b);
    // An interval of few samples may go far beyond what is of interest.
    const low = Math.min(...points.map(point => Math.max(point.low ?? point.y, point.y / 3))) / 1.2;
    const high = Math.max(...points.map(point => Math.min(point.high ?? point.y, point.y * 3))) * 1.2;
    const font = { family: getComputedStyle(document.body).fontFamily, size: 12 };
    const axis = { grid: { color: colour("--line") } };
    const ticks = { color: colour("--soft"), font, maxRotation: 0 };
    return new Chart(document.getElementById(chart.id), {
      type: "line",
      data: { datasets: chart.curves.map(dataset) },
      plugins: [intervals],
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, events: [],
        plugins: {
          legend: {
            position: "bottom",
            labels: { color: colour("--ink"), font, usePointStyle: true, boxHeight: 7, padding: 8 },
          },
          tooltip: { enabled: false },
        },
        scales: {
          x: {
            ...axis, type: "logarithmic", min: places[0] / 1.1, max: places.at(-1) * 1.1,
            title: { display: true, text: chart.axis, color: colour("--soft"), font },
            ticks: { ...ticks, autoSkip: true, autoSkipPadding: 6, callback: short },
            afterBuildTicks: scale => { scale.ticks = places.map(value => ({ value })); },
          },
          y: {
            ...axis, type: "logarithmic", min: low, max: high,
            title: { display: true, text: "million records a second", color: colour("--soft"), font },
            ticks: { ...ticks, callback: value => String(Number((value / 1e6).toPrecision(2))) },
            afterBuildTicks: scale => { scale.ticks = amounts(low, high).map(value => ({ value })); },
          },
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
