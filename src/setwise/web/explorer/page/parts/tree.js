// The forest of the strongest dependencies in a row.
import { html } from "../vendor/preact-htm.js";
import { hierarchy, tree } from "../vendor/d3-hierarchy.js";

const STEP = 24;
const NARROW = 108;

// Trees of the edges, each rooted at the label with most links, below one invisible root.
function rooted(edges) {
  const links = new Map();
  for (const edge of edges) {
    const [a, b] = edge.labels;
    for (const [from, to] of [[a, b], [b, a]]) links.set(from, [...(links.get(from) || []), { to, edge }]);
  }
  const seen = new Set();
  const grow = (label, edge) => {
    seen.add(label);
    const next = links.get(label).filter((link) => !seen.has(link.to));
    next.forEach((link) => seen.add(link.to));
    return { label, edge, children: next.map((link) => grow(link.to, link.edge)) };
  };
  const strength = (label) => links.get(label).reduce((sum, link) => sum + link.edge.bits, 0);
  const order = [...links.keys()].sort((a, b) => strength(b) - strength(a));
  return { label: null, children: order.filter((label) => !seen.has(label)).map((label) => (seen.has(label) ? null : grow(label, null))).filter(Boolean) };
}

const shortened = (name) => (name.length > 18 ? `${name.slice(0, 17)}…` : name);

export function Tree({ structure, names, after, evidence, onSet }) {
  if (!structure.edges.length) return html`<p class="unavailable">In this row, no label tells anything about another.</p>`;
  const root = tree().nodeSize([STEP, NARROW])(hierarchy(rooted(structure.edges)));
  const nodes = root.descendants().filter((node) => node.data.label != null);
  const top = Math.min(...nodes.map((node) => node.x)) - STEP / 2;
  const height = Math.max(...nodes.map((node) => node.x)) - top + STEP / 2;
  const depth = Math.max(...nodes.map((node) => node.depth));
  const width = (depth - 1) * NARROW + 130;
  const place = (node) => [(node.depth - 1) * NARROW + 10, node.x - top];
  return html`<div class="scroll"><svg class="tree" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="group" aria-label="Links between labels">
    ${nodes.filter((node) => node.data.edge).map((node) => {
      const [x, y] = place(node);
      const [px, py] = place(node.parent);
      const r = node.data.edge.correlation;
      return html`<path class=${`link ${r < 0 ? "against" : ""}`} d=${`M${px},${py}C${(px + x) / 2},${py} ${(px + x) / 2},${y} ${x},${y}`}
        stroke-width=${1 + 5 * Math.abs(r)} data-correlation=${r}><title>${`${names[node.parent.data.label]} and ${names[node.data.label]}: correlation ${r.toFixed(2)}, ${node.data.edge.bits.toFixed(3)} bits`}</title></path>`;
    })}
    ${nodes.map((node) => {
      const [x, y] = place(node);
      const j = node.data.label;
      const value = evidence[j];
      const next = value == null ? 1 : value === 1 ? 0 : null;
      const state = value == null ? "" : value ? "known-on" : "known-off";
      return html`<g class=${`node ${state}`} transform=${`translate(${x},${y})`} role="button" tabindex="0"
        aria-label=${`${names[j]}, ${Math.round(100 * after[j])} percent`} onClick=${() => onSet(j, next)}
        onKeyDown=${(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), onSet(j, next))}>
        <circle r="6.5" class="rim"></circle><circle r=${6.5 * Math.sqrt(after[j])} class="core"></circle>
        <text x="11" dy="0.32em">${shortened(names[j])}</text><title>${`${names[j]}: ${Math.round(100 * after[j])} %`}</title></g>`;
    })}
  </svg></div>
  ${structure.left_out > 0 && html`<p class="note">${structure.left_out} weaker links are not drawn.</p>`}`;
}
