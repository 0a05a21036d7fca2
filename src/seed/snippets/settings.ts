// The settings of the snippet profile.

import type { Paginator } from 'resource-api/extend'
import * as z from 'zod'
import { positiveInteger } from '#server'

export const snippetSettings = z.object({
  /** The paginator of the lists; default: none. */
  pagination: z.custom<Paginator>().optional(),
  /** The maximum length of a snippet's code, in characters. */
  codeLimit: positiveInteger.default(1024 * 1024),
  /** The maximum length of highlighted code, in UTF-16 units; longer code is shown as plain text. */
  highlightedCode: positiveInteger.default(100_000),
  /** The maximum length of a highlighted line, in UTF-16 units. */
  highlightedLine: positiveInteger.default(5000),
  /** Milliseconds that highlighting one snippet may take; then it is shown as plain text. */
  highlightingTime: positiveInteger.default(2000),
  /** Milliseconds that a snippet may wait to be highlighted; then it is shown as plain text. */
  highlightingWait: positiveInteger.default(5000),
})

export type SnippetsOptions = z.input<typeof snippetSettings>
export type SnippetSettings = z.output<typeof snippetSettings>

// `jitless`, because generating code for the schema takes longer than one validation.
const { pagination: _, ...defaultLimits } = snippetSettings.parse({}, { jitless: true })
const maxFactor = 10

/** Lists the limits that let a client use many resources. */
export const listLimitProblems = (settings: SnippetSettings): readonly string[] =>
  (Object.keys(defaultLimits) as (keyof typeof defaultLimits)[])
    .filter(name => settings[name] > maxFactor * defaultLimits[name])
    .map(
      name =>
        `${name}: is more than ${maxFactor} times its default, so a client can use many resources: set about ${defaultLimits[name]}`,
    )
