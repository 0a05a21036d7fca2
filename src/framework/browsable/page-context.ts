import type { RenderContext } from '../renderers/renderer.ts'
import type { View } from '../view.ts'

/** The request and the response that a page shows. */
export type PageContext = RenderContext<View>
