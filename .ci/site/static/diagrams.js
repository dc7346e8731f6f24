// Draws a page's diagrams in the colours of its theme, and again when the reader changes the theme.
(() => {
  const diagrams = [...document.querySelectorAll("pre.mermaid")];
  const sources = diagrams.map((diagram) => diagram.textContent);
  const darkSystem = matchMedia("(prefers-color-scheme: dark)");
  let drawn; // whether dark
  let drawing = Promise.resolve();

  async function draw() {
    const theme = document.body.dataset.theme;
    const dark = theme === "dark" || (theme !== "light" && darkSystem.matches);
    if (dark === drawn) {
      return;
    }
    drawn = dark;
    mermaid.initialize({ startOnLoad: false, theme: dark ? "dark" : "default" });
    diagrams.forEach((diagram, i) => {
      diagram.removeAttribute("data-processed");
      diagram.textContent = sources[i];
    });
    await mermaid.run({ nodes: diagrams });
    for (const svg of document.querySelectorAll("pre.mermaid > svg")) {
      svg.style.minWidth = `min(${svg.style.maxWidth}, 44rem)`; // as charts in look.css
    }
  }

  const redraw = () => (drawing = drawing.then(draw));
  redraw();
  darkSystem.addEventListener("change", redraw);
  new MutationObserver(redraw).observe(document.body, { attributeFilter: ["data-theme"] });
})();
