package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // zones are known wherever the binary runs

	"github.com/alecthomas/kong"

	"reckon/events/log"
)

// commandLine is the list of everything that the program does.
type commandLine struct {
	Serve        serveCommand         `cmd:"" help:"Run the service."`
	Calculate    calculateCommand     `cmd:"" help:"Calculate one prompt with a domain file, without a server."`
	Ask          askCommand           `cmd:"" help:"Ask on a terminal, with a domain file or a service, and go on from the answers."`
	Explain      explainCommand       `cmd:"" help:"Explain how an answer comes about, step by step."`
	Compare      compareCommand       `cmd:"" help:"Tell what differs between two scenarios, and why."`
	Seek         seekCommand          `cmd:"" help:"Seek the least or the greatest value of a variable."`
	Uncertainty  uncertaintyCommand   `cmd:"" help:"Say how far a result holds where inputs are uncertain."`
	Interpret    interpretCommand     `cmd:"" help:"Show how a prompt in prose is read."`
	Evaluate     evaluateCommand      `cmd:"" help:"Score files of prose prompts against what they mean."`
	MCP          mcpCommand           `cmd:"" name:"mcp" help:"Serve an assistant: tools of the Model Context Protocol, on standard input and output."`
	Client       clientCommand        `cmd:"" help:"Print a client of the service for another program: TypeScript, Python or Go."`
	Functions    functionsCommand     `cmd:"" help:"List the functions of equations, or explain one."`
	Units        unitsCommand         `cmd:"" help:"List the units, or find one."`
	Domain       domainCommands       `cmd:"" help:"Check, test and publish domains."`
	LSP          lspCommand           `cmd:"" name:"lsp" help:"Serve an editor: findings, completion, renaming, tests."`
	Account      accountCommands      `cmd:"" help:"Create and change accounts."`
	Key          keyCommands          `cmd:"" help:"Create, rotate and revoke API keys."`
	Webhook      webhookCommands      `cmd:"" help:"Have what becomes of calculations sent to other servers."`
	User         userCommands         `cmd:"" help:"Create, disable and list the people of the installation."`
	Member       memberCommands       `cmd:"" help:"Give people roles in an account."`
	Operator     operatorCommands     `cmd:"" help:"Say who runs the installation."`
	Token        tokenCommands        `cmd:"" help:"Create and revoke tokens that administer in the name of a user."`
	Login        loginCommand         `cmd:"" help:"Keep a token for a server, to administer it from here with --server."`
	Logout       logoutCommand        `cmd:"" help:"Forget the token for a server."`
	Audit        auditCommand         `cmd:"" help:"List what was administered, by whom and how."`
	Conversation conversationCommands `cmd:"" help:"Find conversations, describe them, and forget them."`
	Usage        usageCommand         `cmd:"" help:"Count what an account has calculated, and list what was not understood."`
	Projections  projectionsCommands  `cmd:"" help:"Rebuild and verify what is read, from the history."`
	Log          logCommands          `cmd:"" help:"Check the files of the log, and mend them."`
	Backup       backupCommand        `cmd:"" help:"Write all that a data directory holds to a file, while it serves."`
	Restore      restoreCommand       `cmd:"" help:"Make a data directory from a backup, or fill a new cluster from it."`
	Cluster      clusterCommands      `cmd:"" help:"Prepare machines that run as one service."`
	Status       statusCommand        `cmd:"" help:"Say what runs, how far it is behind, how full, and what is wrong."`
	Doctor       doctorCommand        `cmd:"" help:"Say which settings are unwise, and what to do."`
	Ready        readyCommand         `cmd:"" help:"Say whether a server is ready, by the exit status."`
	Replay       replayCommand        `cmd:"" help:"Compute answered messages again and compare."`
	History      historyCommand       `cmd:"" help:"Print a conversation as it is or was."`
	Bench        benchCommand         `cmd:"" help:"Measure calculations and reads beside what the machine allows."`
	Completion   completionCommand    `cmd:"" help:"Print a completion script for a shell."`
	Version      versionCommand       `cmd:"" help:"Print the version."`

	Config kong.ConfigFlag `help:"Read flags from a YAML file, such as 'listen: 127.0.0.1:9000'. Flags and RECKON_… variables win over it." placeholder:"FILE"`
}

// terminal is where a command reads from and writes to.
type terminal struct {
	context.Context
	in       io.Reader
	out, err io.Writer
	model    *kong.Application
}

// exit ends the program with a status that is no failure of the program itself; what there is to
// say has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(terminal{Context: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// newParser makes what reads command lines into c. It writes help to out and ends a line that is
// done with it by exit.
func newParser(c *commandLine, out, err io.Writer, exit func(int)) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("reckon"),
		kong.Description("Reckon solves published equations in whatever direction a question needs, exactly, with units."),
		kong.Writers(out, err),
		kong.Exit(exit),
		kong.DefaultEnvars("RECKON"),
		kong.Vars{"starters": strings.Join(starters(), ", ")},
		kong.Configuration(loadConfig),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.UsageOnError(),
	)
}

// verdicts are the commands that say by status 1 what they found. A failure of theirs is told from
// that by status 2.
func verdicts() []string {
	return []string{"calculate", "ask", "explain", "compare", "seek", "uncertainty", "interpret", "domain check", "domain test run", "domain fmt", "projections verify", "replay", "log verify", "status", "doctor"}
}

// run runs one command line and returns the exit status: 0, 1 for a failure, 2 for a command line
// that is not understood; of the verdicts 1 for what was found, and 2 for a failure.
func run(t terminal, args []string) int {
	var c commandLine
	status := -1
	parser, err := newParser(&c, t.out, t.err, func(code int) { status = code })
	if err != nil {
		fmt.Fprintln(t.err, "reckon:", err)
		return 1
	}
	t.out, t.err = visible{t.out}, visible{t.err}
	switch {
	case len(args) == 0, len(args) == 1 && args[0] == "help":
		args = []string{"--help"}
	case len(args) == 1 && args[0] == "--version":
		args = []string{"version"}
	}
	t.model = parser.Model
	parsed, err := parser.Parse(args)
	if status >= 0 {
		return status
	}
	if err != nil {
		if err = onlyHere(err); slices.Contains(args, "--json") {
			_ = printError(t, err)
		} else {
			fmt.Fprintf(t.err, "reckon: %v\nTry 'reckon --help'.\n", err)
		}
		return 2
	}
	programs := asksJSON(parsed)
	if programs {
		t.err = notes{t.err}
	}
	err = parsed.Run(t)
	var code exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case t.Err() != nil && errors.Is(err, context.Canceled) && !errors.Is(err, log.ErrRunning):
		err = errors.New("interrupted")
	}
	if programs {
		_ = printError(t, err)
	} else {
		fmt.Fprintf(t.err, "reckon: %v\n", err)
	}
	if slices.Contains(verdicts(), parsed.Selected().Path()) {
		return 2
	}
	return 1
}

// asksJSON tells whether a command was asked for JSON.
func asksJSON(parsed *kong.Context) bool {
	for _, group := range parsed.Selected().AllFlags(false) {
		for _, flag := range group {
			if asked, is := parsed.FlagValue(flag).(bool); is && asked && flag.Name == "json" {
				return true
			}
		}
	}
	return false
}

// onlyHere says of a --server that is not understood where the command can be given instead.
func onlyHere(err error) error {
	failed := (*kong.ParseError)(nil)
	if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), "unknown flag --server") {
		return err
	}
	command := failed.Context.Selected()
	if command == nil {
		return err
	}
	for _, group := range command.AllFlags(false) {
		if slices.ContainsFunc(group, func(f *kong.Flag) bool { return f.Name == "data" }) {
			return fmt.Errorf("'reckon %s' has no --server: it works on files of the machine where it is given. Give it there, with --data", command.Path())
		}
	}
	return err
}
