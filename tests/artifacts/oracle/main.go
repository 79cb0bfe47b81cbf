// Reads Compose projects as `docker compose config` does: one request a line in, one answer a line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/sirupsen/logrus"
)

// What stands behind `docker compose --project-directory <folder> -f <file>... --profile <profile>...`.
type request struct {
	Folder   string   `json:"folder"`
	Files    []string `json:"files"`
	Profiles []string `json:"profiles"`
}

type answer struct {
	Error    string         `json:"error,omitempty"`
	Name     string         `json:"name"`
	Services types.Services `json:"services"`
	// Those that no active profile enables.
	Disabled types.Services `json:"disabled"`
	Networks types.Networks `json:"networks"`
	Volumes  types.Volumes  `json:"volumes"`
	Secrets  types.Secrets  `json:"secrets"`
	Configs  types.Configs  `json:"configs"`
}

func main() {
	dotenv.RegisterFormat("raw", rawEnvFile)
	logrus.SetOutput(io.Discard)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := json.NewEncoder(out).Encode(read(line)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			// Who asked may wait for this answer before it asks again.
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err != nil {
			break
		}
	}
	out.Flush()
}

func read(line []byte) (result answer) {
	defer func() {
		if reason := recover(); reason != nil {
			result = answer{Error: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	project, err := load(asked)
	if err != nil {
		return answer{Error: err.Error()}
	}
	for _, services := range []types.Services{project.Services, project.DisabledServices} {
		for name, service := range services {
			if service.Build != nil {
				// What the loader makes of these keys is no JSON.
				service.Build.SSH = nil
				services[name] = service
			}
		}
	}
	return answer{
		Name:     project.Name,
		Services: project.Services,
		Disabled: project.DisabledServices,
		Networks: project.Networks,
		Volumes:  project.Volumes,
		Secrets:  project.Secrets,
		Configs:  project.Configs,
	}
}

// The options of Compose's own command line, in its order, but for the environment of the process: berth lends a
// project nothing of its own either.
func load(asked request) (*types.Project, error) {
	// COMPOSE_FILE is looked up from where one stands.
	if err := os.Chdir(asked.Folder); err != nil {
		return nil, err
	}
	options, err := cli.NewProjectOptions(asked.Files,
		cli.WithWorkingDirectory(asked.Folder),
		cli.WithEnvFiles(),
		cli.WithDotEnv,
		cli.WithConfigFileEnv,
		cli.WithDefaultConfigPath,
		cli.WithEnvFiles(),
		cli.WithDotEnv,
		cli.WithDefaultProfiles(asked.Profiles...),
	)
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

// The format that Compose's command line adds to those of the loader: values as they stand.
func rawEnvFile(in io.Reader, _ string, values map[string]string, lookup func(string) (string, bool)) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := strings.TrimLeft(lines.Text(), " \t")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, hasValue := strings.Cut(line, "=")
		if strings.ContainsAny(name, " \t") || name == "" {
			return fmt.Errorf("variable %q contains whitespaces", name)
		}
		if !hasValue {
			value, hasValue = lookup(name)
		}
		if hasValue {
			values[name] = value
		}
	}
	return lines.Err()
}
