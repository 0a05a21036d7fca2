import { boolean, choice, key, text, via } from 'resource-api'
import { languages } from './highlighting/languages.ts'
import { styles } from './highlighting/styles.ts'

/** The fields of a snippet, also used to load data files. */
export const snippetFields = ({ codeLimit }: { /** In characters. */ readonly codeLimit: number }) => ({
  id: key(),
  owner: text({ source: via('owner_id', 'users', 'username') }),
  title: text({ max: 100, blank: true, default: '' }),
  code: text({ max: codeLimit, trim: false, whitespaceOnly: false, multiline: true }),
  linenos: boolean({ default: false, label: 'Line numbers' }),
  language: choice(languages.keys(), { default: 'python' }),
  style: choice(styles.keys(), { default: 'friendly' }),
})
