// The CSS of the accent colour that an application chooses. Texts in the colour, and on it, have the contrast of WCAG 2.2 AA, or the
// application does not start.

/** A colour for light pages, and one for dark pages. */
export interface AccentColors {
  readonly light: string
  readonly dark: string
}

/** The backgrounds of the pages, as in `pages.css`. */
const backgrounds = { light: '#ffffff', dark: '#14161a' }
/** The texts on the colour. */
const texts = { white: '#ffffff', black: '#10141c' }
const leastContrast = 4.5

/** Creates the CSS. One colour is made lighter for dark pages. Throws if a colour is wrong or has too little contrast. */
export function createAccentCss(accent: string | AccentColors): string {
  const light = parseColor(typeof accent === 'string' ? accent : Object(accent).light)
  const dark = typeof accent === 'string' ? lighten(light) : parseColor(Object(accent).dark)
  checkContrast('light', light)
  checkContrast('dark', dark)
  const [link, onAccent] = [
    [light, dark].map(formatColor).join(', '),
    [light, dark].map(color => findText(color)).join(', '),
  ]
  return `:root { --accent: light-dark(${link}); --link: var(--accent); --on-accent: light-dark(${onAccent}) }\n`
}

type Color = readonly [red: number, green: number, blue: number]

function parseColor(text: unknown): Color {
  const [, digits] = /^#([0-9a-f]{6})$/i.exec(String(text)) ?? []
  if (digits === undefined)
    throw new Error(`browsable(): accent is ${JSON.stringify(text)}: give six hexadecimal digits, such as #7a1fa2`)
  return [0, 2, 4].map(start => Number.parseInt(digits.slice(start, start + 2), 16)) as unknown as Color
}

const formatColor = (color: Color): string =>
  `#${color.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function checkContrast(theme: keyof typeof backgrounds, color: Color): void {
  const contrast = compare(color, parseColor(backgrounds[theme]))
  if (contrast >= leastContrast) return
  const advice = theme === 'light' ? 'darker' : 'lighter'
  throw new Error(
    `browsable(): accent: ${formatColor(color)} has a contrast of ${contrast.toFixed(1)} on ${theme} pages, and needs ${leastContrast}: choose a ${advice} colour`,
  )
}

// White is lighter than any background.
function lighten(color: Color): Color {
  const mixed = Array.from({ length: 21 }, (_, step) => color.map(part => part + ((255 - part) * step) / 20))
  return mixed.find(each => compare(each as unknown as Color, parseColor(backgrounds.dark)) >= 7) as unknown as Color
}

const findText = (color: Color): string =>
  compare(color, parseColor(texts.white)) >= compare(color, parseColor(texts.black)) ? texts.white : texts.black

/** The contrast of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function compare(one: Color, other: Color): number {
  const [darker, lighter] = [one, other].map(findLuminance).toSorted((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function findLuminance(color: Color): number {
  const [red, green, blue] = color.map(part => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as unknown as Color
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
