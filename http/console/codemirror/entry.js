/*! CodeMirror 6 with its parts, https://codemirror.net
Copyright (C) 2016-2024 by Marijn Haverbeke <marijn@haverbeke.berlin> and others

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.
*/
// What the editor of domains takes of CodeMirror, as the one name CodeMirror.
export {EditorState, Compartment, StateEffect, StateField} from "@codemirror/state";
export {
  EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, tooltips,
} from "@codemirror/view";
export {history, defaultKeymap, historyKeymap, indentWithTab, temporarilySetTabFocusMode} from "@codemirror/commands";
export {autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap} from "@codemirror/autocomplete";
export {setDiagnostics, lintKeymap, nextDiagnostic} from "@codemirror/lint";
export {searchKeymap} from "@codemirror/search";
export {HighlightStyle, syntaxHighlighting, indentUnit, bracketMatching} from "@codemirror/language";
export {tags} from "@lezer/highlight";
export {yaml} from "@codemirror/lang-yaml";
