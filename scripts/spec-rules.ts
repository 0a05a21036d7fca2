/** Parses the rules in the index of the specification, and the rule ids in the names of tests. */

export interface Rule {
  id: string
  text: string
  /** The heading of the chapter in the index. */
  chapter: string
}

const ruleId = '[A-Z]+(?:-[A-Z]+)*-[a-z]?\\d+'

/** Parses the index: lines such as ``- `SVC-5` Every error response …`` under `## chapter` headings. */
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
 * Parses the rule ids at the beginning of a test's name: `AUTH-GEN-4, SVC-1: text` has two. Only ids whose first part
 * occurs in the index count, so that the name of a test about `UTF-8` has none.
 */
export function parseRuleIds(testName: string, rules: readonly Rule[]): string[] {
  const areas = new Set(rules.map(rule => rule.id.split('-')[0]))
  const [ids = ''] = new RegExp(`^(?:${ruleId}(?![\\w-])[,\\s]*)+`).exec(testName) ?? []
  return ids.split(/[,\s]+/).filter(id => id !== '' && areas.has(id.split('-')[0]))
}
