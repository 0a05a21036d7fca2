import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readProjectFiles, readTemplateManifest } from './template.ts'

const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

for (const template of ['service', 'minimal'] as const) {
  test(`the template "${template}" has the versions with which this package is tested`, () => {
    const { dependencies, devDependencies } = readTemplateManifest(template)
    const { 'resource-api': _, ...others } = { ...dependencies, ...devDependencies }
    const tested: Record<string, string> = { ...own.dependencies, ...own.devDependencies }
    assert.deepEqual(others, Object.fromEntries(Object.keys(others).map(name => [name, tested[name]])))
    for (const peer of Object.keys(own.peerDependencies))
      assert.equal(peer in dependencies, !own.peerDependenciesMeta[peer]?.optional, peer)
  })

  test(`a project of the template "${template}" has its name, and Node only if needed`, () => {
    for (const addNode of [true, false]) {
      const files = readProjectFiles(template, { name: 'shop', addNode })
      const manifest = JSON.parse(String(files.get('package.json')))
      assert.equal(manifest.name, 'shop')
      assert.deepEqual(['node' in manifest.devDependencies, 'allowScripts' in manifest], [addNode, addNode])
      assert.match(String(files.get('README.md')), /^# shop\n/)
      for (const [name, text] of files) {
        assert.doesNotMatch(name, /^_/)
        assert.doesNotMatch(String(text), /\{\{/, name)
      }
    }
  })

  test(`a project of the template "${template}" depends on the version of this package, or on a file of the project`, () => {
    const packed = { name: 'resource-api-1.2.3.tgz', content: Buffer.from('packed') }
    for (const [options, dependency, file] of [
      [{}, own.version, undefined],
      [{ packed }, 'file:resource-api-1.2.3.tgz', packed.content],
    ] as const) {
      const files = readProjectFiles(template, { name: 'shop', addNode: false, ...options })
      assert.equal(JSON.parse(String(files.get('package.json'))).dependencies['resource-api'], dependency)
      assert.equal(files.get(packed.name), file)
    }
  })
}
