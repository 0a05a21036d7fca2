/** Runs tests with `node:test` and says of each what its names were and whether it proves anything. */
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { run } from 'node:test';
export const databases = ['SQLite', 'PostgreSQL'];
export async function runTests(globs, setup) {
    // Files, not globs: `run` reads globs its own way, and an empty match must not fall back to its default.
    const files = globSync(globs).sort();
    const options = { files, concurrency: true, ...(setup && { globalSetupPath: setup }) };
    const nodes = [];
    const brokenFiles = [];
    for await (const { type, data } of run(options)) {
        if (type !== 'test:pass' && type !== 'test:fail')
            continue;
        const event = data;
        // The runner wraps each file in a test of its own, without an entry file, and reports it when the file
        // has no tests or ends before they do.
        if (event.entryFile !== undefined)
            nodes.push({ ...event, key: keyOf(event, event.testId), outcome: outcomeOf(type, event) });
        else if (type === 'test:fail')
            brokenFiles.push(relative('', event.file ?? event.name));
    }
    return { results: collectResults(nodes), brokenFiles };
}
function keyOf(event, id) {
    return `${id} ${event.entryFile}`;
}
function outcomeOf(type, event) {
    if (isMarked(event.skip) || isMarked(event.todo))
        return 'idle';
    return type === 'test:pass' ? 'passed' : 'failed';
}
/** A reason makes the mark a text, and an empty reason is still a mark. */
function isMarked(mark) {
    return mark !== undefined && mark !== false;
}
function collectResults(nodes) {
    const byKey = new Map(nodes.map(node => [node.key, node]));
    const children = Map.groupBy(nodes, node => keyOf(node, node.parentId));
    return nodes.flatMap(node => {
        if (node.outcome === 'idle' || (node.outcome === 'passed' && !isProof(node, children)))
            return [];
        const file = relative('', node.entryFile ?? '');
        return [{ name: node.name, file, database: databaseOf(node, byKey), outcome: node.outcome }];
    });
}
/** A test without parts proves something by passing, one with parts by a part that does, an empty suite nothing. */
function isProof(node, children) {
    if (node.outcome !== 'passed')
        return false;
    const parts = children.get(node.key);
    return parts ? parts.some(part => isProof(part, children)) : node.details.type !== 'suite';
}
function databaseOf(node, byKey) {
    const parent = byKey.get(keyOf(node, node.parentId));
    if (!parent)
        return undefined;
    return databases.find(database => parent.name.startsWith(database)) ?? databaseOf(parent, byKey);
}
