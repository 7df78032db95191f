//! Splits the program in two: what every visit needs, and the rest, which arrives after the first picture.
//!
//! Both have the same memory, globals and table of functions. Where the first part calls a function of the rest, a stand-in
//! calls it through the table; if the rest is not there yet, it is fetched first. So where a function lies changes when it is
//! fetched, and nothing else.

use anyhow::{Context, Result, ensure};
use std::collections::{BTreeSet, HashMap, HashSet};
use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind, GlobalId, GlobalKind,
    LocalFunction, Module, ModuleConfig, TableId, ValType,
};

/// The script that fetches the rest: `web/rest.js`.
const SCRIPT: &str = "./rest.js";
/// The global that says whether the rest is there.
const IS_HERE: &str = "rest_is_here";
/// The first state of everything is made at the start, also of what is opened later.
const DEFAULT: &str = " as core::default::Default>::default";
/// Instructions below which a function stays. A stand-in would not be much shorter; and of short functions that come out the
/// same the compiler keeps one, under any of their names.
const SHORT: u64 = 100;
/// What the rest takes from the first part.
const FIRST: &str = "first";

/// The two parts.
pub struct Parts {
    pub first: Vec<u8>,
    pub rest: Vec<u8>,
}

/// Splits a program. Whatever is of one of `paths`, and whatever nothing else calls, goes to the rest.
///
/// # Errors
/// It is not WebAssembly, or has no table of functions.
pub fn split(wasm: &[u8], paths: &[&str], keep_names: bool) -> Result<Parts> {
    let parse = || ModuleConfig::new().generate_name_section(keep_names).generate_producers_section(false).parse(wasm);
    let (mut first, mut rest) = (parse()?, parse()?);
    let plan = Plan::of(&first, paths)?;
    make_rest(&mut rest, &first, &plan)?;
    make_first(&mut first, &plan);
    Ok(Parts { first: first.emit_wasm(), rest: rest.emit_wasm() })
}

/// The same JavaScript, which gives the program what its stand-ins need.
///
/// # Errors
/// wasm-bindgen writes it in another way by now.
pub fn with_rest(javascript: &str) -> Result<String> {
    const IMPORTS: &str = "\"./attnlab_bg.js\": import0,";
    ensure!(
        javascript.matches(IMPORTS).count() == 1,
        "the imports of wasm-bindgen's JavaScript are not where they were"
    );
    let imports = format!("{IMPORTS}\n        \"{SCRIPT}\": {{ load: () => load_rest(wasm) }},");
    Ok(format!("import {{ load_rest }} from \"{SCRIPT}\";\n{}", javascript.replace(IMPORTS, &imports)))
}

/// Which function goes where.
struct Plan {
    table: TableId,
    /// Places of the table before.
    places: u64,
    /// Functions of the rest that the first part calls, in the order of their new places in the table.
    called: BTreeSet<FunctionId>,
    /// Functions and globals of the first part that the rest uses.
    shared: BTreeSet<FunctionId>,
    shared_globals: BTreeSet<GlobalId>,
}

impl Plan {
    fn of(module: &Module, paths: &[&str]) -> Result<Self> {
        let table = module.tables.main_function_table()?.context("there is no table of functions")?;
        let all: HashMap<FunctionId, Uses> =
            module.funcs.iter_local().map(|(id, function)| (id, Uses::of(function))).collect();
        let is_later = |id: FunctionId| {
            let name = module.funcs.get(id).name.as_deref().unwrap_or_default();
            let name = format!("{:#}", rustc_demangle::demangle(name));
            let is_long = all.get(&id).is_some_and(|uses| uses.size >= SHORT);
            is_long && !name.ends_with(DEFAULT) && paths.iter().any(|path| is_of(&name, path))
        };
        let later: HashSet<FunctionId> = all.keys().copied().filter(|id| is_later(*id)).collect();
        // wasm-bindgen's own functions have a table of JavaScript's values.
        let with_values = all.iter().filter(|(_, uses)| uses.tables.iter().any(|id| *id != table)).map(|(id, _)| *id);
        let in_table = module.elements.iter().flat_map(|element| functions(&element.items));
        let exported = module.exports.iter().filter_map(|export| function(&export.item));
        let roots = exported.chain(module.start).chain(with_values).chain(in_table);
        let reached = reach(&all, roots, |id| !later.contains(&id));
        let called: BTreeSet<FunctionId> = reached.intersection(&later).copied().collect();
        let is_of_rest = |id: FunctionId| !reached.contains(&id) || called.contains(&id);
        let used = reach(&all, called.iter().copied(), is_of_rest);
        let (rest, shared): (Vec<_>, Vec<_>) = used.into_iter().partition(|id| is_of_rest(*id));
        let shared_globals = rest.iter().filter_map(|id| all.get(id)).flat_map(|uses| &uses.globals).copied().collect();
        let places = module.tables.get(table).initial;
        Ok(Self { table, places, called, shared: shared.into_iter().collect(), shared_globals })
    }
}

/// All that is called from some functions on, but by nothing that `goes_on` leaves out.
fn reach(
    all: &HashMap<FunctionId, Uses>,
    roots: impl Iterator<Item = FunctionId>,
    goes_on: impl Fn(FunctionId) -> bool,
) -> HashSet<FunctionId> {
    let mut reached: HashSet<FunctionId> = roots.collect();
    let mut to_visit: Vec<FunctionId> = reached.iter().copied().collect();
    while let Some(id) = to_visit.pop() {
        if let Some(uses) = all.get(&id).filter(|_| goes_on(id)) {
            to_visit.extend(uses.functions.iter().filter(|id| reached.insert(**id)));
        }
    }
    reached
}

/// What a function uses.
#[derive(Default)]
struct Uses {
    functions: Vec<FunctionId>,
    globals: Vec<GlobalId>,
    tables: Vec<TableId>,
    /// Its instructions.
    size: u64,
}

impl Uses {
    fn of(function: &LocalFunction) -> Self {
        let mut uses = Self { size: function.size(), ..Self::default() };
        dfs_in_order(&mut uses, function, function.entry_block());
        uses
    }
}

impl Visitor<'_> for Uses {
    fn visit_function_id(&mut self, id: &FunctionId) {
        self.functions.push(*id);
    }
    fn visit_global_id(&mut self, id: &GlobalId) {
        self.globals.push(*id);
    }
    fn visit_table_id(&mut self, id: &TableId) {
        self.tables.push(*id);
    }
}

/// Whether a function is of a path like `attnlab::figure`: defined there, or for a type of there. A library's own function that
/// only works on such a type is not: the compiler keeps one of those that come out the same, under any of their names.
fn is_of(name: &str, path: &str) -> bool {
    let own = name.trim_start_matches(['<', '&', '(', '[']);
    own.strip_prefix(path).is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn function(item: &ExportItem) -> Option<FunctionId> {
    if let ExportItem::Function(id) = item { Some(*id) } else { None }
}

fn functions(items: &ElementItems) -> Vec<FunctionId> {
    let of_expression = |expression: &ConstExpr| if let ConstExpr::RefFunc(id) = expression { Some(*id) } else { None };
    match items {
        ElementItems::Functions(ids) => ids.clone(),
        ElementItems::Expressions(_, all) => all.iter().filter_map(of_expression).collect(),
    }
}

/// Stand-ins for the functions that have gone, and all that the rest uses exported.
fn make_first(module: &mut Module, plan: &Plan) {
    for id in &plan.shared {
        module.exports.add(&name_of_function(*id), *id);
    }
    for id in &plan.shared_globals {
        module.exports.add(&name_of_global(*id), *id);
    }
    module.exports.add("rest_table", plan.table);
    let is_here = module.globals.add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
    module.exports.add(IS_HERE, is_here);
    let nothing = module.types.add(&[], &[]);
    let (load, _) = module.add_import_func(SCRIPT, "load", nothing);
    for (place, id) in (plan.places..).zip(&plan.called) {
        let ty = module.funcs.get(*id).ty();
        let (takes, gives) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
        let arguments: Vec<_> = takes.iter().map(|ty| module.locals.add(*ty)).collect();
        let mut stand_in = FunctionBuilder::new(&mut module.types, &takes, &gives);
        let mut body = stand_in.func_body();
        body.global_get(is_here).if_else(
            None,
            |_| {},
            |otherwise| {
                otherwise.call(load);
            },
        );
        for argument in &arguments {
            body.local_get(*argument);
        }
        body.i32_const(i32::try_from(place).expect("a table holds fewer")).call_indirect(ty, plan.table);
        module.funcs.get_mut(*id).kind = FunctionKind::Local(stand_in.local_func(arguments));
    }
    let table = module.tables.get_mut(plan.table);
    table.initial += plan.called.len() as u64;
    table.maximum = table.maximum.map(|most| most + plan.called.len() as u64);
    walrus::passes::gc::run(module);
}

/// Only the functions that have gone: memory, table, globals and all other functions are those of the first part.
fn make_rest(module: &mut Module, first: &Module, plan: &Plan) -> Result<()> {
    // Both were read from the same bytes.
    let function: HashMap<FunctionId, FunctionId> =
        first.funcs.iter().map(|of| of.id()).zip(module.funcs.iter().map(|of| of.id())).collect();
    let global: HashMap<GlobalId, GlobalId> =
        first.globals.iter().map(|of| of.id()).zip(module.globals.iter().map(|of| of.id())).collect();
    let imports: Vec<_> = module.imports.iter().map(|import| import.id()).collect();
    imports.into_iter().for_each(|id| module.imports.delete(id));
    let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
    exports.into_iter().for_each(|id| module.exports.delete(id));
    let elements: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
    elements.into_iter().for_each(|id| module.elements.delete(id));
    let datas: Vec<_> = module.data.iter().map(|data| data.id()).collect();
    datas.into_iter().for_each(|id| module.data.delete(id));
    for id in &plan.shared {
        let here = function[id];
        let ty = module.funcs.get(here).ty();
        let import = module.imports.add(FIRST, &name_of_function(*id), here);
        module.funcs.get_mut(here).kind = FunctionKind::Import(walrus::ImportedFunction { import, ty });
    }
    for id in &plan.shared_globals {
        let here = global[id];
        let import = module.imports.add(FIRST, &name_of_global(*id), here);
        module.globals.get_mut(here).kind = GlobalKind::Import(import);
    }
    let memory = module.get_memory_id()?;
    let import = module.imports.add(FIRST, "memory", memory);
    let of_memory = module.memories.get_mut(memory);
    (of_memory.import, of_memory.maximum) = (Some(import), None);
    of_memory.data_segments.clear();
    let table = module.tables.main_function_table()?.context("there is no table of functions")?;
    let import = module.imports.add(FIRST, "rest_table", table);
    let places = ConstExpr::Value(Value::I32(i32::try_from(plan.places)?));
    let called = ElementItems::Functions(plan.called.iter().map(|id| function[id]).collect());
    let element = module.elements.add(ElementKind::Active { table, offset: places }, called);
    let of_table = module.tables.get_mut(table);
    (of_table.import, of_table.maximum) = (Some(import), None);
    of_table.initial += plan.called.len() as u64;
    of_table.elem_segments.clear();
    of_table.elem_segments.insert(element);
    let (is_here, _) = module.add_import_global(FIRST, IS_HERE, ValType::I32, true, false);
    let mut start = FunctionBuilder::new(&mut module.types, &[], &[]);
    start.func_body().i32_const(1).global_set(is_here);
    module.start = Some(start.finish(Vec::new(), &mut module.funcs));
    walrus::passes::gc::run(module);
    Ok(())
}

fn name_of_function(id: FunctionId) -> String {
    format!("f{:x}", id.index())
}

fn name_of_global(id: GlobalId) -> String {
    format!("g{:x}", id.index())
}

#[cfg(test)]
mod tests {
    use super::*;
    use walrus::RefType;

    const PATHS: [&str; 1] = ["attnlab::figure"];

    /// `start` is exported and calls all others.
    fn program(others: &[(&str, u64)]) -> Vec<u8> {
        let mut module = Module::default();
        module.memories.add_local(false, false, 1, None, None);
        module.tables.add_local(false, 3, Some(3), RefType::FUNCREF);
        let mut add = |name: &str, length: u64, calls: &[FunctionId]| {
            let mut function = FunctionBuilder::new(&mut module.types, &[], &[]);
            for _ in 0..length / 2 {
                function.func_body().i32_const(7).drop();
            }
            for id in calls {
                function.func_body().call(*id);
            }
            let id = function.finish(Vec::new(), &mut module.funcs);
            module.funcs.get_mut(id).name = Some(name.to_owned());
            id
        };
        let shared = add("attnlab::attention::solve", 200, &[]);
        let only = add("attnlab::writing::pad", 10, &[]);
        let mut called: Vec<FunctionId> =
            others.iter().map(|(name, length)| add(name, *length, &[shared, only])).collect();
        called.push(shared);
        let start = add("start", 200, &called);
        module.exports.add("start", start);
        module.emit_wasm()
    }

    fn lists(wasm: &[u8]) -> [Vec<String>; 3] {
        let module = ModuleConfig::new().parse(wasm).expect("what was split is WebAssembly");
        let mut lists = [
            module.imports.iter().map(|import| format!("{} {}", import.module, import.name)).collect(),
            module.exports.iter().map(|export| export.name.clone()).collect(),
            module.funcs.iter_local().filter_map(|(id, _)| module.funcs.get(id).name.clone()).collect(),
        ];
        lists.iter_mut().for_each(|list: &mut Vec<String>| list.sort());
        lists
    }

    #[test]
    fn what_is_later_goes_and_takes_along_what_only_it_calls() {
        let wasm = program(&[("attnlab::figure::svg", 300), ("<attnlab::figure::Canvas>::draw", 300)]);
        let parts = split(&wasm, &PATHS, true).unwrap();
        let [imports, exports, functions] = lists(&parts.first);
        assert_eq!(imports, ["./rest.js load"]);
        let shared = &exports[0];
        assert_eq!(exports, [shared, "rest_is_here", "rest_table", "start"]);
        // Those that have gone have stand-ins of their names.
        let left = ["<attnlab::figure::Canvas>::draw", "attnlab::attention::solve", "attnlab::figure::svg", "start"];
        assert_eq!(functions, left);
        let [imports, exports, functions] = lists(&parts.rest);
        let first = |name| format!("first {name}");
        assert_eq!(imports, [shared, "rest_is_here", "rest_table"].map(first));
        assert_eq!(exports, [""; 0]);
        assert_eq!(functions, ["<attnlab::figure::Canvas>::draw", "attnlab::figure::svg", "attnlab::writing::pad"]);
        let table = |wasm| ModuleConfig::new().parse(wasm).unwrap().tables.iter().next().unwrap().initial;
        assert_eq!([table(&parts.first), table(&parts.rest)], [5, 5]);
        assert!(parts.first.len() < wasm.len());
    }

    #[test]
    fn what_is_short_or_made_at_the_start_or_another_s_stays() {
        let names = [
            ("attnlab::figure::width", 20),
            ("<attnlab::figure::Canvas as core::default::Default>::default", 300),
            ("attnlab::figures::draw", 300),
            ("<alloc::vec::Vec<attnlab::figure::Canvas>>::push", 300),
        ];
        let parts = split(&program(&names), &PATHS, true).unwrap();
        assert_eq!(lists(&parts.first)[2].len(), 3 + names.len());
        assert_eq!(lists(&parts.rest)[2], [""; 0]);
    }

    #[test]
    fn the_script_is_given_to_the_program() {
        let javascript = "return {\n        __proto__: null,\n        \"./attnlab_bg.js\": import0,\n    };";
        let split = with_rest(javascript).unwrap();
        assert!(split.starts_with("import { load_rest } from \"./rest.js\";\n"), "{split}");
        assert!(split.contains("\"./rest.js\": { load: () => load_rest(wasm) },\n    };"), "{split}");
        assert!(with_rest("return {};").is_err());
    }
}
