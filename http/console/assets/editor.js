// The editor of domains: problems while somebody types, tests after a pause, drafts that are saved
// by themselves. The server reads the text; nothing of it is understood here.
"use strict";
{
  const at = (id) => document.getElementById(id);
  const form = at("editor"), field = at("text"), state = at("editor-state");

  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  // Each kind of question drops the one before it.
  const under = {};
  const ask = async (kind, path, body, options = {}) => {
    under[kind]?.abort();
    const mine = (under[kind] = new AbortController());
    const response = await fetch(path, {
      method: options.method ?? "POST",
      headers: {"Content-Type": "application/json", ...options.headers},
      body: JSON.stringify(body),
      signal: mine.signal,
      redirect: "manual",
    });
    const json = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : null;
    return {status: response.status, json};
  };

  if (form && at("problems")) start(CodeMirror);

  function start({EditorState, EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, highlightActiveLineGutter,
    highlightSpecialChars, history, defaultKeymap, historyKeymap, indentWithTab, closeBrackets, closeBracketsKeymap, setDiagnostics,
    lintKeymap, searchKeymap, HighlightStyle, syntaxHighlighting, indentUnit, bracketMatching, tags, yaml,
    autocompletion, completionKeymap, hoverTooltip}) {
    let seen = at("seen").value, saved = field.value.replace(/\r\n?/g, "\n"), busy = false, calm = "";
    const draft = form.dataset.draft;

    // What cannot be saved yet outlives a reload in this tab, for its author alone. Where somebody
    // has saved since, saving it shows both texts.
    const place = "editor " + form.dataset.author + " " + location.pathname + location.search;
    const left = JSON.parse(sessionStorage.getItem(place) ?? "null");
    const leave = () => {
      if (text() === saved) sessionStorage.removeItem(place);
      else sessionStorage.setItem(place, JSON.stringify({text: text(), seen}));
    };

    // Places count lines and columns from 1, columns in characters.
    const offset = (doc, line, column) => {
      const of = doc.line(Math.min(Math.max(line, 1), doc.lines));
      return of.from + [...of.text].slice(0, column - 1).join("").length;
    };
    const text = () => view.state.doc.toString();

    const go = (line, column) => {
      const head = offset(view.state.doc, line, column);
      view.dispatch({selection: {anchor: head}, effects: EditorView.scrollIntoView(head, {y: "center"})});
      view.focus();
    };
    const mend = (fix) => {
      const doc = view.state.doc;
      const from = offset(doc, fix.Line, fix.Column), to = offset(doc, fix.Line, fix.End);
      view.dispatch({changes: {from, to, insert: fix.Text}, selection: {anchor: from + fix.Text.length}, userEvent: "input.fix"});
      view.focus();
    };

    // Problems.
    const placed = (finding) => {
      const line = make("button", "Line " + finding.line + ", column " + finding.column, {type: "button", class: "line"});
      line.addEventListener("click", () => go(finding.line, finding.column));
      return line;
    };
    const problems = (findings) => {
      const doc = view.state.doc;
      view.dispatch(setDiagnostics(view.state, findings.map((f) => {
        const from = offset(doc, f.line, f.column);
        return {
          from, to: Math.max(from, offset(doc, f.line, f.end)), severity: f.warning ? "warning" : "error", message: f.message,
          actions: f.fix ? [{name: f.fix.Label, apply: () => mend(f.fix)}] : [],
        };
      })));
      if (findings.length === 0) {
        at("problems").replaceChildren(make("p", "There are no problems.", {class: "good"}));
        return;
      }
      const list = make("ul", "", {class: "findings"});
      for (const f of findings) {
        const item = make("li", "", {class: f.warning ? "warning" : "error"});
        item.append(placed(f), " " + f.message);
        if (f.fix) {
          const button = make("button", f.fix.Label, {type: "button", class: "small quiet"});
          button.addEventListener("click", () => mend(f.fix));
          item.append(button);
        }
        list.append(item);
      }
      at("problems").replaceChildren(list);
    };
    const wrong = (findings) => findings.some((f) => !f.warning);

    // The graph of the text as it was last without errors.
    const draw = (graph) => {
      at("graph").replaceChildren(...new DOMParser().parseFromString(graph.drawing, "text/html").body.children);
      at("graph-lines").textContent = graph.lines;
      at("graph-part").hidden = false;
    };

    let checks, pauses, saves;
    const later = () => {
      clearTimeout(checks);
      clearTimeout(pauses);
      clearTimeout(saves);
      under.test?.abort();
      checks = setTimeout(check, 50);
      state.textContent = text() === saved ? calm : "Not saved yet";
      leave();
    };
    const check = async () => {
      const doc = view.state.doc;
      try {
        const {status, json} = await ask("check", "/console/editor/check", {text: doc.toString()});
        if (status !== 200 || !json) return gone(status);
        if (view.state.doc !== doc) return;
        problems(json.findings);
        if (json.graph) draw(json.graph);
        if (wrong(json.findings)) {
          tested(null);
          waits();
        } else pauses = setTimeout(pause, 600);
      } catch (error) {
        lost(error);
      }
    };
    const waits = () => {
      if (draft && state.textContent === "Not saved yet") state.textContent += ": a draft has no errors, and its tests pass. What you write stays here.";
    };
    const said = {0: "You are signed out. Sign in again in another tab: what you write stays here.", 413: "The file is too large for the editor."};
    const gone = (status) => {
      state.textContent = said[status] ?? "The server cannot do that now. What you write stays here.";
    };
    const lost = (error) => {
      if (error.name !== "AbortError") state.textContent = "The server cannot be reached. What you write stays here.";
    };

    // Tests, and the draft behind them.
    const pause = async () => {
      if (await test() && draft && text() !== saved) saves = setTimeout(save, 1200);
    };
    const test = async () => {
      const doc = view.state.doc;
      try {
        const {status, json} = await ask("test", "/console/editor/test", {text: doc.toString()});
        if (status !== 200 || !json) return gone(status);
        if (view.state.doc !== doc) return false;
        problems(json.findings);
        tested(json.ran ? json.tests ?? [] : null);
        if (wrong(json.findings)) waits();
        return !wrong(json.findings);
      } catch (error) {
        lost(error);
        return false;
      }
    };
    const tested = (tests) => {
      if (!tests) {
        at("tests").replaceChildren(make("p", "They run when the file has no errors.", {class: "aside"}));
        return;
      }
      const failed = tests.filter((t) => t.why).length;
      const summary = tests.length === 0 ? "The file has no tests." : failed ? failed + " of " + tests.length + " fail." : "All " + tests.length + " pass.";
      const list = make("ul", "", {class: "findings"});
      tests.forEach((t, i) => {
        const item = make("li", "", {class: t.why ? "failed" : "passed"});
        const line = make("button", "Test " + (i + 1), {type: "button", class: "line"});
        line.addEventListener("click", () => go(t.line, t.column));
        item.append(line, t.why ? " fails " : " passes ", make("span", t.prompt.replaceAll("\n", ", "), {class: "aside"}));
        for (const why of t.why ?? []) item.append(make("div", why));
        list.append(item);
      });
      at("tests").replaceChildren(make("p", summary, {class: failed ? "wrong" : "good"}), list);
    };

    const save = async () => {
      if (!draft) {
        form.requestSubmit(form.querySelector("button[value=save]"));
        return;
      }
      clearTimeout(saves);
      if (busy) return;
      busy = true;
      const sent = text();
      state.textContent = "Saving…";
      try {
        const {status, json} = await ask("save", draft, {text: sent}, {method: "PUT", headers: {"If-Match": '"' + seen + '"'}});
        if (status === 200) {
          kept(sent, json.seen);
          at("editor-title").textContent = json.title;
          at("editor-publish").hidden = false;
          if (at("editor-kept")) at("editor-kept").textContent = json.state;
        } else if (status === 412) {
          differ(sent, json);
        } else if (status === 422) {
          fault = state.textContent = json?.wrong ?? "It cannot be saved.";
          view.dispatch({});
          if (json?.findings && text() === sent) problems(json.findings);
        } else {
          gone(status);
        }
      } catch (error) {
        lost(error);
      }
      busy = false;
      if (text() !== sent && text() !== saved) later();
    };
    const kept = (sent, sequence) => {
      [saved, seen] = [sent, String(sequence)];
      at("seen").value = seen;
      calm = "Saved as draft";
      fault = "";
      at("text-fault")?.remove();
      view.dispatch({});
      state.textContent = text() === saved ? calm : "Not saved yet";
      leave();
    };

    // A conflict shows both texts; what lies between what begins and what ends alike is marked.
    const differ = (mine, answer) => {
      const a = mine.split("\n"), b = answer.theirs.split("\n");
      let from = 0, to = 0;
      while (from < a.length && from < b.length && a[from] === b[from]) from++;
      while (to < a.length - from && to < b.length - from && a[a.length - 1 - to] === b[b.length - 1 - to]) to++;
      const fill = (part, lines) => {
        const middle = make("mark", lines.slice(from, lines.length - to).join("\n"));
        part.replaceChildren(lines.slice(0, from).map((l) => l + "\n").join(""), middle, lines.slice(lines.length - to).map((l) => "\n" + l).join(""));
      };
      fill(at("conflict-mine"), a);
      fill(at("conflict-theirs"), b);
      const settle = (which) => {
        at("conflict").hidden = true;
        form.hidden = false;
        seen = String(answer.seen);
        at("seen").value = seen;
        if (which === "theirs") {
          view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: answer.theirs}});
          kept(text(), answer.seen);
        } else {
          save();
        }
        view.focus();
      };
      at("conflict-save").onclick = () => settle("mine");
      at("conflict-take").onclick = () => settle("theirs");
      state.textContent = "";
      form.hidden = true;
      at("conflict").hidden = false;
      at("conflict-heading").focus();
    };

    // Completion and explanation.
    const placeOf = (doc, position) => {
      const line = doc.lineAt(position);
      return {text: doc.toString(), line: line.number, column: [...line.text.slice(0, position - line.from)].length + 1};
    };
    const complete = async (context) => {
      if (!context.explicit && !context.matchBefore(/[\w°µΩ]$|\[$/)) return null;
      const place = placeOf(context.state.doc, context.pos);
      context.addEventListener("abort", () => under.complete?.abort());
      try {
        const {status, json} = await ask("complete", "/console/editor/complete", place);
        if (status !== 200 || !json?.completions.length) return null;
        return {
          from: offset(context.state.doc, place.line, json.from),
          options: json.completions.map((c) => ({label: c.label, type: c.kind, detail: c.detail, info: c.documentation, apply: c.insert})),
          validFor: /^\w*$/,
        };
      } catch (error) {
        lost(error);
        return null;
      }
    };
    const explain = async (_, position) => {
      const doc = view.state.doc, place = placeOf(doc, position);
      try {
        const {status, json} = await ask("explain", "/console/editor/explain", place);
        if (status !== 200 || !json?.text || view.state.doc !== doc) return null;
        return {
          pos: offset(doc, place.line, json.from), end: offset(doc, place.line, json.to), above: true,
          create: () => ({dom: make("pre", json.text.trim())}),
        };
      } catch (error) {
        lost(error);
        return null;
      }
    };

    // Cells from a spreadsheet are pasted as they are, and made a table then: undoing it leaves them.
    const paste = async (event, v) => {
      const cells = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n");
      if (!/\t|[,;].*\n/.test(cells)) return;
      const from = v.state.selection.main.from, line = v.state.doc.lineAt(from);
      try {
        const {status, json} = await ask("table", "/console/editor/table", {cells, indent: line.text.search(/\S|$/)});
        if (status !== 200 || !json?.table || v.state.sliceDoc(from, from + cells.length) !== cells) return;
        v.dispatch({changes: {from, to: from + cells.length, insert: json.table}, selection: {anchor: from + json.table.length}, userEvent: "input.table"});
      } catch (error) {
        lost(error);
      }
    };

    // Prose, as the interpreter reads it.
    let turns = [];
    const named = {value: "a value", change: "a change", target: "what is asked for", scenario: "a scenario", unread: "not read"};
    const trial = async (prompts) => {
      try {
        const {status, json} = await ask("try", "/console/editor/try", {text: text(), prompts});
        if (status !== 200 || !json) return gone(status);
        if (json.wrong) {
          at("tried").replaceChildren(make("p", "It is tried when the file has no errors.", {class: "wrong"}));
          return;
        }
        turns = prompts;
        at("try-prompt").value = "";
        at("try-again").hidden = turns.length === 0;
        at("tried").replaceChildren(...json.turns.map((turn) => {
          const part = make("div", "", {class: "turn"}), whole = make("p", "", {class: "read"}), told = make("ul", "", {class: "reading"});
          for (const piece of turn.pieces) {
            if (!piece.part) {
              whole.append(piece.text);
              continue;
            }
            whole.append(make("span", piece.text, {class: "read-" + piece.part}));
            const line = make("li", "");
            line.append(make("span", piece.text, {class: "read-" + piece.part}), " " + named[piece.part] + (piece.means ? ": " + piece.means : ""));
            told.append(line);
          }
          part.append(whole, told, turn.wrong ? make("p", turn.wrong, {class: "wrong"}) : make("p", turn.answer, {class: "good"}));
          return part;
        }));
      } catch (error) {
        lost(error);
      }
    };

    // The look, of the page's colours. The shadow root takes the editor's own style sheets, which
    // the policy of the page would refuse as elements.
    const look = EditorView.theme({
      "&": {border: "1px solid var(--edge)", borderRadius: "0.375rem", background: "var(--surface)", color: "var(--text)", fontSize: "0.875rem"},
      "&.cm-focused": {outline: "3px solid var(--focus)", outlineOffset: "1px"},
      ".cm-scroller": {fontFamily: "ui-monospace, monospace", lineHeight: "1.5", minHeight: "20rem", maxHeight: "calc(100vh - 14rem)", overflow: "auto"},
      ".cm-content": {caretColor: "var(--text)"},
      ".cm-cursor": {borderLeftColor: "var(--text)"},
      ".cm-gutters": {background: "var(--soft)", color: "var(--quiet)", borderRight: "1px solid var(--line)"},
      ".cm-activeLine, .cm-activeLineGutter": {backgroundColor: "color-mix(in srgb, var(--tint) 55%, transparent)"},
      ".cm-activeLineGutter": {color: "var(--text)"},
      "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {background: "color-mix(in srgb, var(--accent) 30%, transparent)"},
      ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {background: "var(--tint)", outline: "1px solid var(--accent)"},
      ".cm-lintRange": {backgroundImage: "none !important"},
      ".cm-lintRange-error": {textDecoration: "underline wavy var(--wrong)", textUnderlineOffset: "0.25em", background: "var(--mark)"},
      ".cm-lintRange-warning": {textDecoration: "underline wavy var(--focus)", textUnderlineOffset: "0.25em"},
      ".cm-tooltip": {background: "var(--surface)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "0.375rem", maxWidth: "min(34rem, 90vw)"},
      ".cm-tooltip pre": {margin: "0", padding: "0.5rem 0.75rem", font: "0.8125rem/1.45 ui-monospace, monospace", whiteSpace: "pre-wrap", maxHeight: "18rem", overflow: "auto"},
      ".cm-diagnostic": {padding: "0.5rem 0.75rem", fontFamily: "system-ui, sans-serif"},
      ".cm-diagnostic-error": {borderLeft: "4px solid var(--wrong)"},
      ".cm-diagnostic-warning": {borderLeft: "4px solid var(--focus)"},
      ".cm-diagnosticAction": {background: "var(--accent)", color: "var(--on-accent)", borderRadius: "0.25rem", padding: "0.125rem 0.5rem", margin: "0.375rem 0 0", display: "block"},
      ".cm-tooltip-autocomplete > ul > li[aria-selected]": {background: "var(--accent)", color: "var(--on-accent)"},
      ".cm-completionDetail": {color: "inherit", opacity: "1", fontStyle: "normal"},
      ".cm-completionInfo": {padding: "0.5rem 0.75rem", whiteSpace: "pre-wrap", fontFamily: "system-ui, sans-serif"},
      ".cm-panels": {background: "var(--soft)", color: "var(--text)"},
      ".cm-panel.cm-search input, .cm-panel.cm-search button": {background: "var(--surface)", backgroundImage: "none", color: "var(--text)", border: "1px solid var(--edge)"},
      ".cm-panel.cm-panel-lint ul [aria-selected]": {background: "var(--tint)", color: "var(--text)"},
    });
    const colours = HighlightStyle.define([
      {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)"},
      {tag: [tags.lineComment, tags.comment], color: "var(--quiet)", fontStyle: "italic"},
      {tag: [tags.string, tags.special(tags.string)], color: "var(--assumed-text)"},
      {tag: [tags.keyword, tags.meta, tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--quiet)"},
    ]);

    const host = make("div", "", {class: "code"});
    field.after(host);
    const root = host.attachShadow({mode: "open"});
    let leaving = false;
    // Why the text was refused. No id leads out of a shadow root, so the words themselves are taken in.
    let fault = at("text-fault")?.textContent ?? "";
    const view = new EditorView({
      parent: root,
      root,
      doc: field.value,
      extensions: [
        keymap.of([
          {key: "Mod-s", preventDefault: true, run: () => (save(), true)},
          {key: "Escape", run: (v) => (v.setTabFocusMode(true), false)},
        ]),
        lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(), history(), drawSelection(), bracketMatching(),
        closeBrackets(), indentUnit.of("  "), EditorState.tabSize.of(2), yaml(), syntaxHighlighting(colours), look,
        autocompletion({override: [complete]}), hoverTooltip(explain, {hoverTime: 250}),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        EditorView.contentAttributes.of(() => ({
          "aria-label": "The domain, as YAML. Escape, then Tab, leaves the editor.", tabindex: "0", spellcheck: "false",
          ...(fault && {"aria-invalid": "true", "aria-description": fault}),
        })),
        EditorView.domEventHandlers({focus: (_, v) => (v.setTabFocusMode(false), false), paste: (event, v) => (paste(event, v), false)}),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) later();
        }),
      ],
    });
    host.editor = view;
    field.hidden = true;
    for (const leads of document.querySelectorAll('label[for="text"], .wrong a[href="#text"]')) {
      leads.addEventListener("click", (event) => {
        event.preventDefault();
        view.focus();
      });
    }
    at("tests-part").hidden = at("try-part").hidden = false;
    at("try").addEventListener("submit", (event) => {
      event.preventDefault();
      const prompt = at("try-prompt").value.trim();
      if (prompt) trial([...turns, prompt].slice(-10));
    });
    at("try-again").addEventListener("click", () => {
      turns = [];
      at("tried").replaceChildren();
      at("try-again").hidden = true;
      at("try-prompt").focus();
    });
    form.querySelector("button[value=check]").hidden = true;
    at("run-tests").addEventListener("click", test);
    form.addEventListener("submit", (event) => {
      field.value = text();
      if (!draft) {
        leaving = true;
        sessionStorage.removeItem(place);
      } else {
        event.preventDefault();
        save();
      }
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "s" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) {
        event.preventDefault();
        save();
      }
    });
    window.addEventListener("beforeunload", (event) => {
      if (!leaving && text() !== saved) event.preventDefault();
    });
    if (left && left.text !== saved) {
      view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: left.text}});
      seen = left.seen;
      state.textContent = "What you wrote before is here again. It is not saved yet.";
    }
    at("editor-keys").hidden = false;
    tested(null);
    check();
  }
}
