import { bundledThemesInfo } from 'shiki/themes'
import { pygmentsStyles } from './pygments-styles.ts'

/**
 * Every name that the `style` of a snippet may have → the id of the Shiki theme it is shown with
 * (`RES-SNIP-r7`): Shiki's themes by their own ids, Pygments' styles by the theme nearest to them. Loads no
 * theme.
 */
export const styles: ReadonlyMap<string, string> = new Map([
  ...Object.entries(pygmentsStyles),
  ...bundledThemesInfo.map(({ id }) => [id, id] as const),
])

/** The theme for a style that is not in `styles`. */
export const defaultTheme = 'vitesse-light'
