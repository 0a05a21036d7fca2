/** The rules of the specification, as the index lists them, and how the names of tests refer to them. */

export interface Rule {
  id: string
  text: string
  /** The index's chapter the rule stands in. */
  chapter: string
}

const ruleId = '[A-Z]+(?:-[A-Z]+)*-[a-z]?\\d+'

/** Reads the index: lines such as ``- `SVC-5` Every error answer …`` under `## chapter` headings. */
export function parseIndex(markdown: string): Rule[] {
  const rules: Rule[] = []
  let chapter = ''
  for (const line of markdown.split('\n')) {
    const [, heading] = /^## (.+)$/.exec(line) ?? []
    const [, id, text] = new RegExp(`^- \`(${ruleId})\` (.+)$`).exec(line) ?? []
    if (heading) chapter = heading
    if (!id || !text) continue
    if (rules.some(rule => rule.id === id)) throw new Error(`The index lists ${id} twice.`)
    rules.push({ id, text, chapter })
  }
  return rules
}

/**
 * The rule ids a test's name begins with: `AUTH-GEN-4, SVC-1: text` names two. Only what begins like a rule
 * of the index counts, so that a test of `UTF-8` names none.
 */
export function ruleIdsOf(testName: string, rules: readonly Rule[]): string[] {
  const areas = new Set(rules.map(rule => rule.id.split('-')[0]))
  const [ids = ''] = new RegExp(`^(?:${ruleId}(?![\\w-])[,\\s]*)+`).exec(testName) ?? []
  return ids.split(/[,\s]+/).filter(id => id !== '' && areas.has(id.split('-')[0]))
}
