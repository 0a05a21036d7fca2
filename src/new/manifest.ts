// The package.json of a new project.

/** The part of a package.json that this command reads. */
export interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
}

export interface ManifestOptions {
  readonly name: string
  /** The dependency on resource-api: a version, or `file:` and a file of the project. */
  readonly dependency: string
  /** True: Node is a package of the project, because that of the machine is too old for the project's scripts. */
  readonly addNode: boolean
}

/** Completes the package.json of a template. */
export function completeManifest(template: Manifest, { name, dependency, addNode }: ManifestOptions): string {
  const manifest = addNode ? template : withoutNode(template)
  const dependencies = { ...manifest.dependencies, 'resource-api': dependency }
  return `${JSON.stringify({ ...manifest, name, dependencies }, undefined, 2)}\n`
}

// Only Node has an install script, which downloads it.
function withoutNode({ allowScripts: _, ...manifest }: Manifest): Manifest {
  const { node: __, ...devDependencies } = manifest.devDependencies
  return { ...manifest, devDependencies }
}
