// The types of the requests that the URLs of a resource take, for clients. The type of an option that is not declared is `never`.

/** The options of a resource that decide which requests its URLs take. */
export interface OperationTypes {
  /** The names of query parameters that it replaces. */
  readonly parameters: unknown
  /** The path of the list, if it is not the name. */
  readonly path: string
  /** The field that URLs contain instead of the key, or several. */
  readonly lookup: string | readonly string[]
  readonly actions: string
  readonly methods: string
  readonly bulk: unknown
  /** The return type of the option `singleton`. */
  readonly singleton: unknown
  /** The names of the parents. */
  readonly parents: string
  /** True: the resource has no URLs at the top level. */
  readonly only: boolean
  /** The names of the further lists. */
  readonly lists: string
  /** The views below the list, and below an object, by name. */
  readonly listViews: unknown
  /** The methods of the list's own URL, and of the objects' own URLs. */
  readonly listMethods: unknown
  readonly objectMethods: unknown
  readonly objectViews: unknown
  /** The paths of `expandableFields`. */
  readonly expandable: string
  readonly sparse: boolean
  readonly selectsIn: string
  /** The names of the fields in `fieldSets`, by set. */
  readonly fieldSets: unknown
  /** The members of pages; null for no paginator. */
  readonly pages: unknown
  readonly envelope: unknown
}
