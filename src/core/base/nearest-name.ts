/** The existing name that is most similar to a misspelt one; undefined if none is close. */
export function nearestName(name: string, existingNames: Iterable<string>): string | undefined {
  const maxDistance = Math.max(1, Math.floor(name.length / 3))
  let nearest: string | undefined
  let shortest = maxDistance + 1
  for (const candidate of existingNames) {
    const distance = measureDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < shortest) {
      nearest = candidate
      shortest = distance
    }
  }
  return nearest
}

/** The end of an error about a misspelt name, such as `: write "title"`; empty if no name is close. */
export function adviseName(name: string, existingNames: Iterable<string>): string {
  const nearest = nearestName(name, existingNames)
  return nearest === undefined ? '' : `: write "${nearest}"`
}

// The number of letters to insert, delete, replace or swap with the next one (optimal string alignment distance).
function measureDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? rows[i - 2]![j - 2]! + 1 : replaced
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, swapped)
    }
    rows.push(row)
  }
  return rows[from.length]![to.length]!
}
