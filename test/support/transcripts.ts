// The `console` blocks of a Markdown file: commands, each followed by the output that the file shows. In an output, `…`
// stands for text that differs between machines.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface Transcript {
  readonly command: string
  readonly output: string
}

/** Parses the commands of all `console` blocks of a Markdown text. */
export function parseTranscripts(markdown: string): readonly Transcript[] {
  return [...markdown.matchAll(/^```console\n(.*?)^```/gms)].flatMap(([, block]) => parseBlock(block!))
}

/** Parses the commands of one `console` block, each with the lines that follow it. */
export const parseBlock = (block: string): readonly Transcript[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map(part => {
      const [, command, output] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part)!
      return { command: command!, output: output! }
    })

const separator = '-- next command --'

/** Runs the commands in one shell, so that they share variables, and returns their outputs. */
export async function runCommands(
  commands: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<readonly string[]> {
  const script = commands.map(command => `${command}\necho; echo '${separator}'`).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options)
  return stdout.split(separator).map(normalize)
}

const normalize = (text: string): string => text.replaceAll('\r', '').trim()

/** Matches the outputs that a Markdown file describes with this text. */
export function createPattern(text: string): RegExp {
  const parts = normalize(text).split('…')
  return new RegExp(`^${parts.map(part => RegExp.escape(part)).join('[\\s\\S]*?')}$`)
}
