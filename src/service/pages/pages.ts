// The HTML pages of the service: the links to log in and out, the home page, and the pages of the profiles.

import type { Accounts } from '#accounts'
import type { Renderer } from '#core'
import { type BrowsableOptions, browsable } from '#pages'
import type { Settings } from '../settings/settings.ts'
import { formatHomePath } from './home.ts'

export type Pages = NonNullable<BrowsableOptions['pages']>

/** Creates the renderer of an API's pages; the setting `pages` overrides the defaults. */
export function createPageRenderer(
  settings: Settings,
  { login }: Pick<Accounts, 'login'>,
  pages: Pages = {},
): Renderer {
  const home = formatHomePath(settings)
  const { pages: pageSettings } = settings
  return browsable({
    home,
    ...(login && { login }),
    ...pageSettings,
    pages: { ...pages, ...pageSettings?.pages },
  })
}
