// Loads the lists of Shiki, an optional peer dependency: only applications with snippets need it.

const loading = Promise.all([import('shiki/langs'), import('shiki/themes')])

const [langs, themes] = await loading.catch((cause: unknown) => {
  throw new Error('resource-api/snippets needs the package shiki: npm install shiki@4', { cause })
})

export const { bundledLanguages, bundledLanguagesInfo } = langs
export const { bundledThemes, bundledThemesInfo } = themes
