/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;

  /* ---- groups: what can be chosen */
  const modeOf = (r) => r.what + (r.count > 1 ? " x " + r.count : r.what === "batch" || r.what === "xts-run" ? " x 1" : "");
  const unique = (list) => [...new Set(list)];
  const subjects = unique(data.rows.map((r) => r.subject));
  const kind = new Map(data.rows.map((r) => [r.subject, r.kind]));
  const state = { mode: null, key: null, direction: null, unit: "cycles/byte" };
  const hidden = new Set();
  const charts = [];

  /* Colours that keep apart on both grounds: as many as a machine has subjects. */
  const light = ["#0b57d0", "#d1330b", "#138a36", "#9a1fb0", "#8a6100", "#00798c", "#c2185b", "#4f5b66", "#5b3fd6",
    "#3f7f00", "#b25000", "#006d5b", "#84264f", "#333333", "#0088cc", "#a39100"];
  const dark = ["#7db1ff", "#ff8d6b", "#6fdc8c", "#e08bf3", "#f2c14e", "#4fd8eb", "#ff85b3", "#b7c3cf", "#b3a1ff",
    "#b6e36a", "#ffb26b", "#5fe0c3", "#f3a6c8", "#eeeeee", "#8fd3ff", "#d2d26a"];
  const colour = (name) => {
    const list = root.dataset.scheme === "dark" ? dark : light;
    return list[subjects.indexOf(name) % list.length];
  };

  const number = (v, digits) => (v === null || v === undefined || !isFinite(v) ? "–" : v.toLocaleString("en",
    { maximumFractionDigits: digits, minimumFractionDigits: digits, useGrouping: Math.abs(v) >= 10000 }));
  const short = (v) => number(v, v >= 1000 ? 0 : v >= 100 ? 0 : v >= 10 ? 1 : v >= 1 ? 2 : 3);
  const speed = (r) => (r.bytes > 0 && r.ns_low > 0 ? (r.bytes / r.ns_low) * 1e3 : null);
  const perByte = (r) => (r.bytes > 0 && r.low > 0 ? r.low / r.bytes : null);

  /* ---- the facts */
  function facts() {
    const m = data.machine, b = data.build, o = data.options, u = data.rulers;
    const ghz = (v) => number(v / 1e9, 2) + " GHz";
    const several = (n, one, more) => n + " " + (n === 1 ? one : more);
    const three = (v, digits = 2) => ["128", "256", "512"].map((w, i) => (v[i] > 0 ? w + " bits: " + number(v[i], digits) : null))
      .filter(Boolean).join(", ") || "not measured";
    byId("cpu").textContent = m.cpu + ", " + ghz(m.core_hz_median) + ", Rijn " + b.version + (b.commit ? " (" + b.commit + ")" : "");
    byId("noise").textContent = data.noise;
    byId("noise").classList.toggle("noisy", data.noisy);
    const list = [
      ["processor", m.cpu + ", " + m.processors + " online"],
      ["features", m.features],
      ["core clock", ghz(m.core_hz_median) + " (from " + ghz(m.core_hz_low) + " to " + ghz(m.core_hz_high) + "; time stamps " +
        ghz(m.tick_hz) + "; calibrated by: " + o.clock + ")"],
      ["system", m.system + " " + m.kernel + ", " + m.architecture],
      ["library", "Rijn " + b.version + " " + b.commit],
      ["compiler", b.compiler + (b.flags ? ", " + b.flags : "")],
      ["peers", data.peers || "none"],
      ["not here", data.absent || "–"],
      ["command", o.command],
      ["samples", o.rounds + " rounds of " + o.sample_us + " µs, " + several(o.launches, "launch", "launches") + ", " +
        several(o.threads, "thread", "threads") +
        (o.in_place ? ", in place" : "") + (o.cold_key ? ", cold key" : "") + (o.serialize ? ", serialized" : "") +
        (o.misalign ? ", misaligned by " + o.misalign : "")],
      ["AES, cycles an instruction", three(u.aes)],
      ["multiply", three(u.multiply)],
      ["load", three(u.load)],
      ["XOR of 16 KiB, cycles", three(u.xor_16k_aligned, 0) + "; misaligned " + three(u.xor_16k_misaligned, 0)],
    ];
    for (const [name, value] of list) {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = name;
      dd.textContent = value;
      byId("facts").append(dt, dd);
    }
  }

  /* ---- the choices */
  const shown = () => data.rows.filter((r) => modeOf(r) === state.mode && r.key === state.key && r.direction === state.direction);

  function choice(id, values, now, set) {
    const box = byId(id);
    for (const label of [...box.querySelectorAll("label")])
      label.remove();
    for (const value of values) {
      const label = document.createElement("label"), input = document.createElement("input");
      input.type = "radio";
      input.name = id;
      input.value = String(value);
      input.checked = value === now;
      input.addEventListener("change", () => { set(value); draw(); });
      label.append(input, String(value));
      box.append(label);
    }
    box.hidden = values.length < 2;
  }

  function settle() {
    const modes = unique(data.rows.map(modeOf));
    if (!modes.includes(state.mode))
      state.mode = modes[0];
    const keys = unique(data.rows.filter((r) => modeOf(r) === state.mode).map((r) => r.key));
    if (!keys.includes(state.key))
      state.key = keys[0];
    const dirs = unique(data.rows.filter((r) => modeOf(r) === state.mode && r.key === state.key).map((r) => r.direction));
    if (!dirs.includes(state.direction))
      state.direction = dirs[0];
    choice("modes", modes, state.mode, (v) => { state.mode = v; });
    choice("keys", keys, state.key, (v) => { state.key = v; });
    choice("directions", dirs, state.direction, (v) => { state.direction = v; });
    choice("units", ["cycles/byte", "cycles/message", "ns/message"], state.unit, (v) => { state.unit = v; });
  }

  /* ---- the charts */
  const isRijn = (name) => kind.get(name) === "rijn";

  /* Marks of a logarithmic axis from lo to hi: powers of ten; 1, 2, 5; or closer ones, until there are enough. */
  function steps(lo, hi) {
    let list = [];
    for (const marks of [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9], [...Array(45).keys()].map((k) => 1 + k / 5)]) {
      list = [];
      for (let e = Math.floor(Math.log10(lo)); e <= Math.log10(hi); e++)
        list.push(...marks.map((m) => +(m.toPrecision(3) + "e" + e)));
      list = list.filter((v) => v >= lo && v <= hi);
      if (list.length > 4)
        break;
    }
    return list;
  }

  /* The names of the legend are buttons, for those who use the keyboard too. */
  function legendButtons(u) {
    u.root.querySelectorAll(".u-legend .u-series").forEach((row, i) => {
      const name = row.querySelector("th");
      if (i === 0)
        return;
      name.tabIndex = 0;
      name.setAttribute("role", "button");
      name.setAttribute("aria-pressed", String(u.series[i].show));
      name.addEventListener("keydown", (e) => {
        if (e.key !== "Enter" && e.key !== " ")
          return;
        e.preventDefault();
        name.dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: e.ctrlKey }));
      });
    });
  }

  function chart(host, rows, value, caption, logarithmic) {
    const names = subjects.filter((s) => rows.some((r) => r.subject === s));
    const sizes = unique(rows.map((r) => r.size)).sort((a, b) => a - b);
    const columns = names.map((s) => sizes.map((size) => {
      const r = rows.find((x) => x.subject === s && x.size === size);
      const v = r && !r.error ? value(r) : null;
      return v > 0 ? v : null;
    }));
    const style = getComputedStyle(root);
    const text = style.getPropertyValue("--soft").trim(), line = style.getPropertyValue("--line").trim();
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const width = Math.max(280, host.parentElement.clientWidth);
    const options = {
      width: width,
      height: Math.round(Math.min(420, Math.max(260, width * 0.62))),
      scales: { x: { time: false, distr: 3, log: 2 }, y: logarithmic ? { distr: 3, log: 10, range: (u, lo, hi) => [lo / 1.2, hi * 1.2] } : { range: (u, lo, hi) => [0, hi * 1.05] } },
      axes: [
        Object.assign({ values: (u, splits) => splits.map((v) => (v === null ? "" : v >= 1024 && v % 1024 === 0 ? v / 1024 + "k" : String(v))) }, axis),
        Object.assign(logarithmic ? { splits: (u, i, lo, hi) => steps(lo, hi), filter: (u, splits) => splits } : {}, { size: 58, values: (u, splits) => splits.map((v) => (v === null ? "" : String(+v.toPrecision(3)))) }, axis),
      ],
      cursor: { focus: { prox: 24 } },
      focus: { alpha: 0.35 },
      legend: { markers: { dash: (u, i) => (i === 0 || isRijn(names[i - 1]) ? "solid" : "dotted") } },
      series: [{ label: "bytes", value: (u, v) => (v === null ? "–" : String(v)) }].concat(names.map((s) => ({
        label: s,
        show: !hidden.has(s),
        stroke: colour(s),
        width: isRijn(s) ? 2.2 : 1.5,
        dash: isRijn(s) ? [] : [7, 4],
        points: { show: true, size: 6 },
        spanGaps: true,
        value: (u, v) => (v === null || v === undefined ? "–" : short(v)),
      }))),
      hooks: {
        ready: [legendButtons],
        setSeries: [(u, i, opts) => {
          if (i === null || opts.show === undefined)
            return;
          u.root.querySelectorAll(".u-legend .u-series").forEach((row, k) => {
            if (k)
              row.querySelector("th").setAttribute("aria-pressed", String(u.series[k].show));
          });
          names.forEach((s, k) => {
            if (u.series[k + 1].show)
              hidden.delete(s);
            else
              hidden.add(s);
          });
          for (const other of charts)
            if (other !== u)
              other.series.forEach((x, k) => {
                if (k && x.show === hidden.has(x.label))
                  other.setSeries(k, { show: !hidden.has(x.label) });
              });
        }],
      },
    };
    byId(caption.id).textContent = caption.text;
    charts.push(new uPlot(options, [sizes].concat(columns), host));
  }

  /* ---- the table */
  function table(rows) {
    const heads = ["bytes", "who", "cycles", "median", "+%", "cycles/byte", "cycles/block", "ns", "Mbyte/s", "% of AES limit",
      data.baseline ? "ratio to " + data.baseline : "ratio"];
    const t = document.createElement("table");
    t.className = "rows";
    const head = t.createTHead().insertRow();
    for (const h of heads) {
      const th = document.createElement("th");
      th.textContent = h;
      th.scope = "col";
      head.append(th);
    }
    const body = t.createTBody();
    let size = null;
    for (const r of rows) {
      const tr = body.insertRow(), mark = r.mix ? "mix" : String(r.size);
      const cells = [mark === size ? "" : mark, r.subject];
      if (r.error)
        cells.push("wrong: " + r.error);
      else
        cells.push(short(r.low), short(r.median), number(((r.median - r.low) / r.low) * 100, 0), number(perByte(r), 3),
          number(perByte(r) === null ? null : perByte(r) * 16, 2), short(r.ns_low), number(speed(r), 0),
          number(r.limit_cycles === null ? null : (100 * r.limit_cycles) / r.low, 0), number(r.ratio, 3));
      for (const c of cells)
        tr.insertCell().textContent = c;
      tr.classList.toggle("first", mark !== size);
      tr.classList.toggle("base", r.subject === data.baseline);
      tr.classList.toggle("wrong", Boolean(r.error));
      if (r.error)
        tr.lastChild.colSpan = heads.length - 2;
      size = mark;
    }
    byId("table").replaceChildren(t);
  }

  function draw() {
    settle();
    const rows = shown(), sized = rows.filter((r) => !r.mix && r.size > 0);
    for (const c of charts.splice(0))
      c.destroy();
    byId("title").textContent = rows.length ? rows[0].title : "";
    byId("charts").hidden = unique(sized.map((r) => r.size)).length < 2;
    if (!byId("charts").hidden) {
      const cost = { "cycles/byte": perByte, "cycles/message": (r) => r.low, "ns/message": (r) => r.ns_low }[state.unit];
      chart(byId("chart-speed"), sized, speed, { id: "cap-speed", text: "Mbyte/s against message size" }, false);
      chart(byId("chart-cost"), sized, cost, { id: "cap-cost", text: state.unit + " against message size (less is better)" }, true);
    }
    table(rows);
  }

  const wished = window.matchMedia("(prefers-color-scheme: dark)");
  root.dataset.scheme = wished.matches ? "dark" : "light";
  wished.addEventListener("change", () => { root.dataset.scheme = wished.matches ? "dark" : "light"; draw(); });
  byId("scheme").addEventListener("click", () => {
    root.dataset.scheme = root.dataset.scheme === "dark" ? "light" : "dark";
    draw();
  });
  let timer = 0;
  window.addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(draw, 150); });
  /* On paper it is light, whatever the screen was. */
  let screen = null;
  window.addEventListener("beforeprint", () => { screen = root.dataset.scheme; root.dataset.scheme = "light"; draw(); });
  window.addEventListener("afterprint", () => { root.dataset.scheme = screen || root.dataset.scheme; draw(); });
  document.querySelector("footer").textContent = "Cycles, ns and what is made of them: the lowest tenth of the samples. +%: " +
    "how far the median lies above it. Ratio: the median over rounds. In bold: the baseline. rijn bench --json keeps all samples.";
  facts();
  draw();
  window.rijnBench = { charts: charts, state: state, data: data, draw: draw }; /* for the console, and for the tests */
})();
