package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: ${enum}."`
}

func (*completionCommand) Help() string {
	return `Examples:
  source <(reckon completion bash)
  reckon completion zsh > "${fpath[1]}/_reckon"
  reckon completion fish > ~/.config/fish/completions/reckon.fish`
}

// words is what may follow the words of a command: subcommands and flags.
type words struct {
	path string // the command's words, joined by a space; "" for the program itself
	next []string
	// values are those of its flags that take one of a few, by flag.
	values map[string][]string
}

// placeholders are the values that stand for themselves, by what a flag's help calls them.
var placeholders = map[string]func() []string{"STARTER": starters}

// completions lists what may follow each command of the program.
func completions(n *kong.Node, path []string) []words {
	w := words{path: strings.Join(path, " "), values: map[string][]string{}}
	for _, child := range n.Children {
		if child.Type == kong.CommandNode {
			w.next = append(w.next, child.Name)
		}
	}
	for _, group := range n.AllFlags(true) {
		for _, flag := range group {
			w.next = append(w.next, "--"+flag.Name)
			if values, ok := placeholders[flag.PlaceHolder]; ok {
				w.values["--"+flag.Name] = values()
			} else if flag.Enum != "" {
				w.values["--"+flag.Name] = flag.EnumSlice()
			}
		}
	}
	all := []words{w}
	for _, child := range n.Children {
		if child.Type == kong.CommandNode {
			all = append(all, completions(child, append(path[:len(path):len(path)], child.Name))...)
		}
	}
	return all
}

func (c *completionCommand) Run(t terminal) error {
	list := completions(t.model.Node, nil)
	var b strings.Builder
	switch c.Shell {
	case "bash", "zsh":
		if c.Shell == "zsh" {
			b.WriteString("#compdef reckon\nautoload -U +X bashcompinit && bashcompinit\n")
		}
		b.WriteString("_reckon() {\n  local word path=\"\"\n  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$word\" in -*) ;; *) path=\"$path${path:+ }$word\" ;; esac\n  done\n  case \"$path ${COMP_WORDS[COMP_CWORD-1]}\" in\n")
		for _, w := range list {
			for _, flag := range slices.Sorted(maps.Keys(w.values)) {
				fmt.Fprintf(&b, "    %q*%q) COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[COMP_CWORD]}\")); return ;;\n", w.path, " "+flag, strings.Join(w.values[flag], " "))
			}
		}
		b.WriteString("  esac\n  while :; do\n    case \"$path\" in\n")
		for _, w := range list {
			fmt.Fprintf(&b, "      %q) COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[COMP_CWORD]}\")); break ;;\n", w.path, strings.Join(w.next, " "))
		}
		b.WriteString("      *\" \"*) path=\"${path% *}\" ;;\n      *) path=\"\" ;;\n    esac\n  done\n  [[ ${COMP_WORDS[COMP_CWORD]} != -* ]] && COMPREPLY+=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o filenames -F _reckon reckon\n")
	case "fish":
		for _, w := range list {
			condition := "__fish_use_subcommand"
			if w.path != "" {
				parts := strings.Fields(w.path)
				for i, p := range parts {
					parts[i] = "__fish_seen_subcommand_from " + p
				}
				condition = strings.Join(parts, "; and ")
			}
			for _, next := range w.next {
				if flag, ok := strings.CutPrefix(next, "--"); ok && len(w.values[next]) > 0 {
					fmt.Fprintf(&b, "complete -c reckon -n '%s' -l %s -x -a '%s'\n", condition, flag, strings.Join(w.values[next], " "))
				} else if ok {
					fmt.Fprintf(&b, "complete -c reckon -n '%s' -l %s\n", condition, flag)
				} else {
					fmt.Fprintf(&b, "complete -c reckon -n '%s' -a %s\n", condition, next)
				}
			}
		}
	}
	_, err := fmt.Fprint(t.out, b.String())
	return err
}
