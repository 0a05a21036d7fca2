import { html } from 'ghtml'

/** Units of the drawing: each bar has a slot of this width. */
const slot = 20
const gap = 4
const height = 64

/** Draws numbers as the bars of an SVG; `highest`: the number of a bar of full height. The text beside the drawing has the numbers, so screen readers get the title only. */
export function barChart(title: string, numbers: readonly number[], highest: number): string {
  const bars = numbers.map((number, index) => {
    // Zero is a line, and any other number is higher.
    const barHeight = number === 0 ? 1 : Math.max(3, Math.round((height * number) / highest))
    return html`<rect x="${index * slot + gap / 2}" y="${height - barHeight}" width="${slot - gap}" height="${barHeight}" fill="currentColor" opacity="${number === 0 ? 0.4 : 1}"><title>${number}</title></rect>`
  })
  return html`<svg viewBox="0 0 ${numbers.length * slot} ${height}" role="img" aria-label="${title}" preserveAspectRatio="none">!${bars}</svg>
`
}
