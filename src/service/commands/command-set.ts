// What the files that add commands get.

import type { Command } from 'commander'
import type { CommandSource, CommonOptions } from './run-command.ts'

export interface CommandSet {
  /** Adds a command that only has commands of its own. */
  readonly group: (name: string, description: string) => Command
  /** Adds a command with the options that every command has; default of `parent`: the program. */
  readonly command: (name: string, description: string, parent?: Command) => Command
  /** Returns where a command with these options reads its settings. */
  readonly from: (options: CommonOptions) => CommandSource
}
