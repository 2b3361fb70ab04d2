//! The examples run as tests: each is a complete program that asserts what it shows.

#[path = "../../examples/custom_broad_phase.rs"]
pub mod custom_broad_phase;
#[path = "../../examples/custom_generator.rs"]
pub mod custom_generator;
#[path = "../../examples/custom_integrator.rs"]
pub mod custom_integrator;
#[path = "../../examples/custom_narrow_phase.rs"]
pub mod custom_narrow_phase;
#[path = "../../examples/custom_solver.rs"]
pub mod custom_solver;
#[path = "../../examples/hello_2d.rs"]
pub mod hello_2d;
#[path = "../../examples/hello_3d.rs"]
pub mod hello_3d;
#[path = "../../examples/query_log.rs"]
pub mod query_log;

#[test]
fn hello_2d_runs() {
    hello_2d::main().unwrap();
}
#[test]
fn hello_3d_runs() {
    hello_3d::main().unwrap();
}
#[test]
fn custom_generator_runs() {
    custom_generator::main().unwrap();
}
#[test]
fn custom_integrator_runs() {
    custom_integrator::main().unwrap();
}
#[test]
fn custom_broad_phase_runs() {
    custom_broad_phase::main().unwrap();
}
#[test]
fn custom_narrow_phase_runs() {
    custom_narrow_phase::main().unwrap();
}
#[test]
fn custom_solver_runs() {
    custom_solver::main().unwrap();
}
#[test]
fn query_log_runs() {
    query_log::main().unwrap();
}
