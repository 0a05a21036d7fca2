import { pygmentsStyles } from './pygments-styles.ts'
import { bundledThemesInfo } from './shiki.ts'

/**
 * Maps every valid `style` of a snippet to a Shiki theme id (`RES-SNIP-r7`). The names are Shiki's theme ids, and
 * Pygments' styles, which map to the most similar theme. Loads no theme.
 */
export const styles: ReadonlyMap<string, string> = new Map([
  ...Object.entries(pygmentsStyles),
  ...bundledThemesInfo.map(({ id }) => [id, id] as const),
])

/** The theme for an unknown style. */
export const defaultTheme = 'vitesse-light'

const lightThemes = new Set(bundledThemesInfo.filter(({ type }) => type === 'light').map(({ id }) => id))

/** Whether the background of a style is light. */
export const isLightStyle = (style: string): boolean => lightThemes.has(styles.get(style) ?? defaultTheme)
