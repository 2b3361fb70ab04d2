//! Whatever is given, the command says what is wrong, ends with the right code, and never panics.

use crate::support::{Bench, STACK, code, stderr, stdout};
use std::process::Stdio;

/// Arguments, exit code, a part of the message.
const TABLE: &[(&str, i32, &str)] = &[
    ("run missing.scene", 1, "no such file"),
    ("run .", 1, "it is a folder"),
    ("run junk.bin", 1, "neither a scene"),
    ("run nul.scene", 1, "neither a scene"),
    ("check missing.scene", 1, "no such file"),
    ("render missing.scene -o x.png", 1, "no such file"),
    ("test missing.scene", 1, ""),
    ("test empty-folder", 1, "no .scene files"),
    ("run good.scene --solver soft-stp", 2, "soft-step"),
    ("run good.scene --broad-phase bhv", 2, "bvh"),
    ("run good.scene --integrator nonsense", 2, "semi-implicit-euler"),
    ("run good.scene -n -5", 2, "whole number, at least 0"),
    ("run good.scene --frames 1.5", 2, "whole number, at least 0"),
    ("run good.scene --dt 0", 2, "seconds"),
    ("run good.scene --dt -1", 2, "seconds"),
    ("run good.scene --dt nan", 2, "seconds"),
    ("run good.scene --threads 0", 2, "from 1 to 1024"),
    ("run good.scene --substeps 0", 2, "from 1 to 1000"),
    ("run good.scene --seed -1", 2, "whole number"),
    ("run good.scene --set n", 2, "a name, =, and a value"),
    ("run good.scene --set m=3", 2, "no parameter or setting 'm'"),
    ("run good.scene --set solvr=soft-step", 2, "did you mean 'solver'"),
    ("run good.scene --set n=(((", 2, "--set n"),
    ("run good.scene --set contact_hertz=-4", 2, "must be"),
    ("run good.scene --frame 3", 2, "--frames"),
    ("run good.scene --trajectory t.txt", 2, ".csv or .jsonl"),
    ("run good.scene --profile p", 2, ".csv or .json"),
    ("run good.scene --plot p.gif", 2, ".svg or .png"),
    ("run good.scene --trajectory no/where/t.csv", 1, "there is no folder"),
    ("run good.scene --save no/where/s", 1, "there is no folder"),
    ("run good.scene --save empty-folder", 1, "it is a folder"),
    ("runn good.scene", 2, "run"),
    ("generate", 2, ""),
    ("generate pyramid", 2, "pyramid-2d"),
    ("generate tower -n -1", 2, "whole number"),
    ("generate tower -n 0", 2, "tower: 'n' must be between"),
    ("list --folder nowhere", 1, "cannot list nowhere: no such folder"),
    ("list --folder good.scene", 1, "it is not a folder"),
    ("run good.scene --set solver=soft-stp", 2, "did you mean 'soft-step'"),
    ("check empty-folder", 1, "no .scene files"),
    ("generate tower --set skw=1", 2, "did you mean 'skew'"),
    ("list methds", 2, "methods"),
    ("render good.scene", 2, "--output"),
    ("render good.scene -o x.gif", 2, "ends in .png"),
    ("render good.scene -o x.png --size 10", 2, "WIDTHxHEIGHT"),
    ("render good.scene -o x.png --size 0x5", 2, "WIDTHxHEIGHT"),
    ("render good.scene -o x.png --frames 5..2", 2, "A not above B"),
    ("render good.scene -o x.png --frames -3", 2, "at least 0"),
    ("render good.scene -o x.png --effects glow", 2, "shadows"),
    ("check bad.scene", 3, "1 of 1 scene with errors"),
    ("check good.scene bad.scene", 3, "1 of 2 scenes with errors"),
    ("run bad.scene --strict", 3, "has 1 error"),
    ("render bad.scene --strict -o x.png", 3, "has 1 error"),
];

#[test]
fn every_wrong_use_is_told() {
    let bench = Bench::new();
    bench.write("good.scene", STACK);
    bench.write("bad.scene", "world { }\nsphere { raduis 1 }");
    bench.write("junk.bin", [0xff, 0xfe, 0x00, 0x80, 0x13]);
    bench.write("nul.scene", "world { }\0");
    std::fs::create_dir(bench.path("empty-folder")).unwrap();
    for (arguments, wanted, message) in TABLE {
        let output = bench.topple(arguments);
        let told = stderr(&output) + &stdout(&output);
        assert_eq!(code(&output), *wanted, "topple {arguments}\n{told}");
        assert!(told.contains(message), "topple {arguments}\nwanted: {message}\n{told}");
        assert!(!told.contains("panicked"), "topple {arguments}\n{told}");
    }
}

#[test]
fn misspelt_parameters_are_underlined_with_advice() {
    let bench = Bench::new();
    bench.write("bad.scene", "world { }\nsphere { raduis 1 }");
    let told = stderr(&bench.topple("check bad.scene"));
    assert!(told.contains("did you mean 'radius'") && told.contains("bad.scene:2"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_fault() {
    let bench = Bench::new();
    for arguments in [&["list"][..], &["generate", "pile"], &["--help"], &["run", "--help"]] {
        let mut child =
            bench.command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(!stderr(&output).contains("panicked"), "{arguments:?}: {}", stderr(&output));
        assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let bench = Bench::new();
    bench.write("good.scene", STACK);
    for name in ["t.csv", "p.json", "s.topple", "p.svg", "x.png"] {
        std::os::unix::fs::symlink("/dev/full", bench.path(name)).unwrap();
    }
    for arguments in [
        "run good.scene -n 3000 --trajectory t.csv",
        "run good.scene -n 3 --trajectory t.csv",
        "run good.scene -n 3 --profile p.json",
        "run good.scene -n 3 --save s.topple",
        "run good.scene -n 3 --plot p.svg",
        "render good.scene -o x.png --size 32x32",
    ] {
        let output = bench.topple(arguments);
        assert_eq!(code(&output), 1, "{arguments}");
        assert!(stderr(&output).contains("no space left"), "{arguments}: {}", stderr(&output));
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = bench.command().arg("list").stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    let output = output.wait_with_output().unwrap();
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("no space left"));
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let path = bench.write("locked.scene", STACK);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        // The superuser may read everything.
        return;
    }
    let output = bench.topple("run locked.scene");
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("no permission"));
}

#[test]
fn a_broken_mesh_is_told_with_both_places_and_the_rest_runs() {
    let bench = Bench::new();
    bench.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 x 0\nf 1 2 3\n");
    bench.write(
        "x.scene",
        "world { }\nsphere { radius 1 }\nmesh { file \"bad.obj\"  static }\nmesh { file \"none.stl\" }\n",
    );
    let output = bench.topple("run x.scene -n 1 --json");
    assert_eq!(code(&output), 0);
    let told = stderr(&output);
    assert!(
        told.contains("x.scene:3:8") && told.contains("bad.obj:3: a vertex needs three numbers"),
        "{told}"
    );
    assert!(
        told.contains("x.scene:4:8") && told.contains("none.stl") && told.contains("no such file"),
        "{told}"
    );
    assert_eq!(code(&bench.topple("run x.scene -n 1 --strict")), 3);
    assert_eq!(code(&bench.topple("check x.scene")), 3);
}

#[test]
#[cfg(unix)]
fn files_that_never_end_are_not_opened() {
    let bench = Bench::new();
    std::os::unix::fs::symlink("/dev/zero", bench.path("zero.obj")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", bench.path("zero.inc")).unwrap();
    bench.write("x.scene", "world { }\nmesh { file \"zero.obj\"  static }\ninclude \"zero.inc\"\n");
    let output = bench.topple("check x.scene");
    assert_eq!(code(&output), 3);
    assert_eq!(stderr(&output).matches("not an ordinary file").count(), 2, "{}", stderr(&output));
}
