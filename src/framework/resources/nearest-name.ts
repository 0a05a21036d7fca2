/** The known name that a misspelt one is most like; undefined if none is close. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 3))
  let nearest: string | undefined
  let least = most + 1
  for (const other of known) {
    const distance = distanceOf(name.toLowerCase(), other.toLowerCase())
    if (distance < least) {
      nearest = other
      least = distance
    }
  }
  return nearest
}

// How many letters have to be added, left out, replaced or exchanged with the next one.
function distanceOf(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const exchanged = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? rows[i - 2]![j - 2]! + 1 : replaced
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, exchanged)
    }
    rows.push(row)
  }
  return rows[from.length]![to.length]!
}
